import { readFileSync } from 'node:fs';
import { transformSync } from 'oxc-transform';
import { sourceFile } from '../package-files.js';

/**
 * Bundles the modules of this folder into the scripts that run in a child and in a guest. A child that loaded modules
 * itself would have to read files and carry the TypeScript loader (17 MB, 70 ms), and a guest has no modules at all.
 * The modules can be concatenated in one scope because they import only from each other, export only declarations, and
 * share no top-level name; a test loads both scripts.
 */

export const GUEST_MODULES = [
  'protocol',
  'guest/intrinsics',
  'guest/serialize',
  'guest/format-log-line',
  'guest/mcp',
  'guest/calls',
  'guest/timers',
  'guest/clone',
  'guest/search-params',
  'guest/url',
  'guest/web',
  'guest/install',
];
export const CHILD_MODULES = [
  'protocol',
  '../canonical-json',
  'guest-json',
  'replay-request',
  'worlds/hash',
  'worlds/world-clock',
  'worlds/world-styles',
  'worlds/seen-values',
  'worlds/echo',
  'worlds/rename',
  'worlds/vary-date',
  'worlds/vary-number',
  'worlds/vary-string',
  'worlds/vary-list',
  'worlds/vary-text',
  'worlds/guessed-shape',
  'worlds/odd-values',
  'worlds/vary-value',
  'worlds/recorded-answers',
  'worlds/failing-calls',
  'worlds/open-world',
  'child/guest-queries',
  'child/harden',
  'child/isolate-pool',
  'child/run-state',
  'child/write-frames',
  'child/failure',
  'child/guest-run',
  'child/replay-clock',
  'child/replayed-program',
  'child/replay',
  'child/main',
];

export const WATCHDOG_MODULES = [
  'protocol',
  'child/run-state',
  'child/write-frames',
  'child/turn-watchdog',
  'child/watchdog-thread',
];

/** Globals that PML's code in the guest captures, because the guest's code may replace them later. */
const CAPTURED_GLOBALS =
  'Array,ArrayBuffer,Boolean,DataView,Date,Error,EvalError,JSON,Map,Number,Object,Promise,Proxy,RangeError,' +
  'ReferenceError,Reflect,RegExp,Set,String,Symbol,SyntaxError,TypeError,URIError,Uint8Array,WeakMap,WeakSet';

/** The guest's script: a function that takes the guest's two ways to reach the child. */
export function guestScript(): string {
  const body = `const {${CAPTURED_GLOBALS}}=globalThis;${join(GUEST_MODULES)}\nreturn installGuest(post, queryChild);`;
  return `(function(post, queryChild){'use strict';${body}})`;
}

/** The child's script: the body of a function that returns the reader of the host's bytes. */
export function childScript(): string {
  const scripts = [guestScript(), watchdogScript()].map((script) => JSON.stringify(script));
  return `'use strict';${join(CHILD_MODULES)}\nreturn runChild(${scripts.join()});`;
}

/** The script of the child's watchdog, which has a thread of its own. */
export function watchdogScript(): string {
  return `'use strict';${join(WATCHDOG_MODULES)}\nrunWatchdog(process.getBuiltinModule('node:worker_threads').workerData);`;
}

/** Reads the child's script from stdin, starts it, and passes it the rest, which keeps the command line short. */
export const BOOT_SCRIPT = `
let held = Buffer.alloc(0);
let feed;
process.stdin.on('data', (chunk) => {
  if (feed) return feed(chunk);
  held = Buffer.concat([held, chunk]);
  const end = held.length < 4 ? Infinity : 4 + held.readUInt32BE(0);
  if (held.length < end) return;
  feed = new Function(held.toString('utf8', 4, end))();
  if (held.length > end) feed(held.subarray(end));
});`;

function join(files: string[]): string {
  return files.map(scriptOf).join('\n');
}

/** Strips types, imports and exports from a module. */
function scriptOf(file: string): string {
  const path = sourceFile(`sandbox/${file}.ts`);
  const source = readFileSync(path, 'utf8');
  const script = path.pathname.endsWith('.ts') ? transformSync(file, source, { lang: 'ts' }).code : source;
  return script.replace(/^import\b[^;]*;/gm, '').replace(/^export /gm, '');
}
