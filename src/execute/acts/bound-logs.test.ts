import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundLogs } from './bound-logs.ts';

const line = (text: string) => ({ level: 'log' as const, text });

test('a short console is shown whole', () => {
  const logs = [line('one'), line('two')];
  assert.deepEqual(boundLogs(logs), logs);
});

test('of a long console the first and the last lines are shown, with the number of those between', () => {
  const shown = boundLogs(
    Array.from({ length: 1000 }, (_, at) => line(`line ${at}`)),
    1000,
  );
  const between = shown.findIndex(({ level }) => level === 'warn');
  assert.equal(shown[between]?.text, `(${1000 - (shown.length - 1)} lines left out)`);
  assert.deepEqual([shown[0]?.text, shown.at(-1)?.text], ['line 0', 'line 999']);
  assert.ok(shown.length > 10 && shown.length < 40);
});

test('a long line is cut', () => {
  const [only] = boundLogs([line('x'.repeat(50_000))]);
  assert.match(only?.text ?? '', /^x{5000}… \(of 50000 characters\)$/);
});
