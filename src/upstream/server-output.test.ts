import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLog } from '../log.ts';
import { ServerOutput } from './server-output.ts';

test('lines beyond the rate are dropped and counted', () => {
  const lines: string[] = [];
  const output = new ServerOutput('x', openLog({ level: 'info', print: (line) => lines.push(line) }));
  for (let n = 0; n < 10_000; n++) output.info(`line ${n}`);
  output.close();
  const kept = lines.length - 1;
  assert.ok(kept > 1000 && kept < 6000, `${kept} lines`);
  assert.match(lines.at(-1) ?? '', new RegExp(`${10_000 - kept} lines of server "x" dropped`));
});

test('lines below the log level are neither made nor counted', () => {
  const lines: string[] = [];
  const output = new ServerOutput('x', openLog({ level: 'info', print: (line) => lines.push(line) }));
  for (let n = 0; n < 10_000; n++) output.debug(() => assert.fail('made'));
  output.close();
  assert.deepEqual(lines, []);
});
