import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineReader } from './lines.ts';
import { dripBytes } from './testing/drip-bytes.ts';

test('a line that comes byte by byte does not keep a Buffer for each', () => {
  const lines: string[] = [];
  const reader = new LineReader(
    1000,
    (line) => lines.push(line),
    () => assert.fail('not too long'),
  );
  const text = 'the quick brown fox jumps over the lazy dog';
  for (let i = 0; i < 2; i++) dripBytes(`${text}\n`, (chunk) => reader.push(chunk));
  assert.deepEqual(lines, [text, text]);
});
