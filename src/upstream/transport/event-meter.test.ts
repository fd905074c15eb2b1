import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventMeter } from './event-meter.ts';

function held(...chunks: string[]): number {
  const meter = new EventMeter();
  for (const chunk of chunks) meter.add(Buffer.from(chunk));
  return meter.held;
}

test('an event is held until the empty line that ends it, however the chunks are split', () => {
  for (const end of ['\n', '\r\n']) {
    const event = `data: x${end}${end}`;
    assert.equal(held(event), 0);
    for (let at = 1; at < event.length; at++) {
      assert.equal(held(event.slice(0, at), event.slice(at)), 0, JSON.stringify(event.slice(0, at)));
      assert.ok(held(event.slice(0, at)) > 0);
    }
  }
  assert.equal(held(': ping\n\n', 'data: ', 'abc'), 9);
});

test('lines count more than their text, since a parser holds each by itself', () => {
  assert.ok(held('data:\n'.repeat(1000)) > 60_000);
});

test('it returns how many lines ended', () => {
  const meter = new EventMeter();
  assert.deepEqual(
    ['a\nb\n\n', 'c', 'd\n'].map((chunk) => meter.add(Buffer.from(chunk))),
    [3, 0, 1],
  );
});
