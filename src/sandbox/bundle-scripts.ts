import { readFileSync } from 'node:fs';
import { transformSync } from 'oxc-transform';

/**
 * The text of what runs in a child and in a guest, put together from the modules of this folder. A child that loaded
 * them itself would need to read files, would carry the TypeScript loader (17 MB, 70 ms), and a guest has no modules at
 * all. So the modules are written to stand one after another in one scope: they import only from each other, export
 * only declarations, and share no top-level name; a test loads both programs.
 */

const GUEST = [
  'protocol',
  'guest/intrinsics',
  'guest/serialize',
  'guest/format',
  'guest/mcp',
  'guest/calls',
  'guest/timers',
  'guest/clone',
  'guest/search-params',
  'guest/url',
  'guest/web',
  'guest/install',
];
const CHILD = [
  'protocol',
  'nesting',
  'child/guest-queries',
  'child/harden',
  'child/isolate-pool',
  'child/watch',
  'child/failure',
  'child/run',
  'child/main',
];

/** Constructors that code of ours in the guest uses after the guest's own code may have replaced them. */
const CAPTURED =
  'Array,ArrayBuffer,Boolean,DataView,Date,Error,EvalError,JSON,Map,Number,Object,Promise,Proxy,RangeError,' +
  'ReferenceError,Reflect,RegExp,Set,String,Symbol,SyntaxError,TypeError,URIError,Uint8Array,WeakMap,WeakSet';

/** The program of a guest: a function of how the guest posts, asks and tells. */
export function guestProgram(): string {
  const body = `const {${CAPTURED}}=globalThis;${join(GUEST)}\nreturn installGuest(post, ask, tell);`;
  return `(function(post, ask, tell){'use strict';${body}})`;
}

/** The program of a child: the body of a function that answers with where the host's bytes go. */
export function childProgram(): string {
  return `'use strict';${join(CHILD)}\nreturn runChild(${JSON.stringify(guestProgram())});`;
}

/** Reads the program as the first thing on stdin, and gives it the rest: so the command line stays short. */
export const BOOT = `
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

/** A module as a piece of a script: without types, imports and exports. */
function scriptOf(file: string): string {
  // `.ts` as written, `.js` once built.
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const source = readFileSync(new URL(`./${file}${extension}`, import.meta.url), 'utf8');
  const script = extension === '.ts' ? transformSync(file, source, { lang: 'ts' }).code : source;
  return script.replace(/^import\b[^;]*;/gm, '').replace(/^export /gm, '');
}
