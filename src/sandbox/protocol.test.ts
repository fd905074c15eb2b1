import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeFrame, type Frame, frameReader, type ToChild } from './protocol.ts';

test('frames survive any split of the byte stream', () => {
  const frames = fc.array(fc.tuple(fc.nat(), fc.string({ unit: 'grapheme', maxLength: 300 })), {
    maxLength: 8,
  });
  const property = fc.property(frames, fc.array(fc.integer({ min: 1, max: 50 })), (given, cuts) => {
    const bytes = Buffer.concat(given.map(([run, body]) => encodeFrame({ type: 'end', run }, body)));
    const read = frameReader<{ run: number }>(() => 10_000);
    const out: Frame<{ run: number }>[] = [];
    let at = 0;
    for (const cut of [...cuts, bytes.length]) {
      out.push(...read(bytes.subarray(at, at + cut)));
      at += cut;
    }
    assert.deepEqual(
      out.map(({ head, body }) => [head.run, body]),
      given,
    );
  });
  fc.assert(property);
});

test('a frame that is too large is refused before its body arrives', () => {
  const read = frameReader<ToChild>(() => 100);
  const frame = encodeFrame({ type: 'end', run: 1 }, 'x'.repeat(200));
  assert.throws(() => read(frame.subarray(0, 10)), /frame of \d+ bytes/);
});
