import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Invocation } from './command.ts';
import { printRun } from './print-run.ts';

function printed(answer: Record<string, unknown>, json = false): string[] {
  const lines: string[] = [];
  const say = (text: string) => void lines.push(text);
  const terminal = { print: say, progress: say, warn: say };
  printRun({ values: { json }, terminal } as unknown as Invocation, answer);
  return lines;
}

test('a result from the cache is shown as such', () => {
  assert.deepEqual(printed({ result: 'a', cached: true, capabilityName: 'x:y' }), ['a', '(cached)']);
});

test('what was remembered is said with the command that calls it', () => {
  const call = 'pml_execute({"intent":"use x:y","capability":"x:y","args":{"path":"a b"}})';
  assert.deepEqual(printed({ result: 'a', remembered: { name: 'x:y', call } }), [
    'a',
    "remembered as x:y. Call it with: pml run x:y --path 'a b'",
  ]);
  assert.deepEqual(printed({ result: 'a', capabilityName: 'x:y' }), ['a']);
});
