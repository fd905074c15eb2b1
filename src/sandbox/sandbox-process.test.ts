import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { builtFile } from '../package-files.js';
import { childScript } from './bundle-scripts.ts';
import { encodeFrame } from './protocol.ts';
import { addonPath, CHILD_FLAGS } from './sandbox-process.ts';

const END = '//end';

/**
 * Evaluates expressions where a guest that escapes its isolate would land: in a child's own realm, once it has started.
 * Returns the text of each value, or its error message.
 */
async function inChild(expressions: string[]): Promise<string[]> {
  const start = encodeFrame({ type: 'start', addon: addonPath(), memoryMb: 64 }).toString('base64');
  const script = `
    const write = process.stderr.write.bind(process.stderr);
    let program = '';
    // Also keeps the process alive, as the reader of the host's bytes does.
    process.stdin.setEncoding('utf8').on('data', (chunk) => {
      program += chunk;
      if (program.endsWith('${END}')) setTimeout(run, 1);
    });
    async function run() {
      const fs = process.getBuiltinModule('node:fs');
      const { writeSync } = fs;
      // The first frame that a child writes says that it is ready.
      const ready = new Promise((resolve) => {
        fs.writeSync = (...written) => (resolve(), writeSync(...written));
      });
      new Function(program)()(Buffer.from('${start}', 'base64'));
      await ready;
      const answers = [];
      for (const text of ${JSON.stringify(expressions)}) {
        try { answers.push(String(await new Function('return ' + text)())); }
        catch (error) { answers.push('! ' + error.message); }
      }
      write(JSON.stringify(answers), () => process.reallyExit(0));
    }`;
  // A child whose input ends kills itself, so its input stays open.
  const child = spawn(process.execPath, [...CHILD_FLAGS, '-e', script], { env: {} });
  // Too long for an argument.
  child.stdin.write(childScript() + END);
  return JSON.parse(await text(child.stderr));
}

test('a guest that escapes into the child finds no file, process, worker, addon, module or socket', async () => {
  const has = (scope: string) => `process.permission.has('${scope}')`;
  const closed = ['fs.read', 'fs.write', 'child', 'worker', 'addon', 'inspector', 'wasi'].map(has);
  assert.deepEqual(
    await inChild(closed),
    closed.map(() => 'false'),
  );
  const absent = [
    'require',
    'module',
    'net',
    'dgram',
    'http',
    'fs',
    'fetch',
    'WebSocket',
    'WebAssembly',
    'process.getBuiltinModule',
    'process.binding',
    'process.dlopen',
    'process.stdin',
    'process.kill',
    'process.mainModule',
    'process._getActiveHandles',
  ];
  assert.deepEqual(
    await inChild(absent.map((name) => `typeof ${name}`)),
    absent.map(() => 'undefined'),
  );
  for (const name of ['node:net', 'node:fs', 'node:child_process', 'data:text/javascript,1', '/etc/passwd']) {
    assert.match((await inChild([`import(${JSON.stringify(name)})`]))[0] ?? '', /^! No modules here/);
  }
});

test('a child has no environment and no arguments', async () => {
  assert.deepEqual(await inChild(['JSON.stringify(process.env)', 'process.argv.length']), ['{}', '1']);
});

test('a checkout takes the addon from node_modules: its own dist/ comes and goes while it is packed', () => {
  assert.equal(builtFile('isolated-vm'), undefined);
  assert.match(addonPath(), /node_modules/);
});
