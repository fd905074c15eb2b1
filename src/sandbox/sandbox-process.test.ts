import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { childScript } from './bundle-scripts.ts';
import { encodeFrame } from './protocol.ts';
import { addonPath, CHILD_FLAGS } from './sandbox-process.ts';

/**
 * Evaluates expressions where a guest that escapes its isolate would land: in a child's own realm, once it has started.
 * Returns the text of each value, or its error message.
 */
function inChild(expressions: string[]): string[] {
  const start = encodeFrame({ type: 'start', addon: addonPath(), memoryMb: 64 }).toString('base64');
  const script = `
    const write = process.stderr.write.bind(process.stderr);
    setTimeout(async () => {
      new Function(${JSON.stringify(childScript())})()(Buffer.from('${start}', 'base64'));
      const answers = [];
      for (const text of ${JSON.stringify(expressions)}) {
        try { answers.push(String(await new Function('return ' + text)())); }
        catch (error) { answers.push('! ' + error.message); }
      }
      write(JSON.stringify(answers), () => process.reallyExit(0));
    }, 1);`;
  const { stderr } = spawnSync(process.execPath, [...CHILD_FLAGS, '-e', script], {
    env: {},
    encoding: 'utf8',
  });
  return JSON.parse(stderr);
}

test('a guest that escapes into the child finds no file, process, worker, addon, module or socket', () => {
  const has = (scope: string) => `process.permission.has('${scope}')`;
  const closed = ['fs.read', 'fs.write', 'child', 'worker', 'addon', 'inspector', 'wasi'].map(has);
  assert.deepEqual(
    inChild(closed),
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
    inChild(absent.map((name) => `typeof ${name}`)),
    absent.map(() => 'undefined'),
  );
  for (const name of ['node:net', 'node:fs', 'node:child_process', 'data:text/javascript,1', '/etc/passwd']) {
    assert.match(inChild([`import(${JSON.stringify(name)})`])[0] ?? '', /^! No modules here/);
  }
});

test('a child has no environment and no arguments', () => {
  assert.deepEqual(inChild(['JSON.stringify(process.env)', 'process.argv.length']), ['{}', '1']);
});
