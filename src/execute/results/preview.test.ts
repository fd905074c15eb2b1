import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { leastCpuOf } from '../../testing/cpu-time.ts';
import { previewOf } from './preview.ts';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('a long list shows its first items, and says how many there are', () => {
  const list = Array.from({ length: 1000 }, (_, id) => ({ id }));
  const { value, shown } = previewOf(list, 500);
  const items = value as unknown[];
  assert.deepEqual(items, list.slice(0, items.length));
  assert.ok(items.length > 30 && bytesOf(items) <= 500);
  assert.deepEqual(shown, [`result: ${items.length} of 1000 items`]);
});

test('a long text shows its beginning', () => {
  const { value, shown } = previewOf('é'.repeat(5000), 1000);
  assert.match(String(value), /^é+… \(\d+ characters left out\)$/);
  assert.match(shown[0] ?? '', /^result: \d+ of 5000 characters$/);
  for (const text of ['x', '"', 'é', '\u0001'].map((one) => one.repeat(9000))) {
    const bytes = bytesOf(previewOf(text, 1000).value);
    assert.ok(bytes > 900 && bytes <= 1000, `${bytes} bytes of ${JSON.stringify(text[0])}`);
  }
});

test('small members of an object stay whole, and large ones share what is left', () => {
  const value = { count: 3, log: 'x'.repeat(10_000), rows: Array(5000).fill('row'), ok: true };
  const preview = previewOf(value, 1000);
  const { count, log, rows, ok } = preview.value as typeof value;
  assert.deepEqual([count, ok], [3, true]);
  assert.ok(log.length > 200 && rows.length > 30);
  assert.deepEqual(
    preview.shown.map((one) => one.replace(/\d+ of/, 'n of')),
    ['result.log: n of 10000 characters', 'result.rows: n of 5000 items'],
  );
});

test('a few large items are each shown in part', () => {
  const { value } = previewOf(
    ['a', 'b', 'c'].map((text) => text.repeat(9000)),
    900,
  );
  assert.deepEqual(
    (value as string[]).map((text) => text[0]),
    ['a', 'b', 'c'],
  );
});

test('an object with too many members shows the first', () => {
  const value = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`key${at}`, at]));
  const { shown } = previewOf(value, 1000);
  assert.match(shown[0] ?? '', /^result: \d+ of 5000 members$/);
});

test('any value fits into any limit, keeps its kind, and what fits is not changed', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 400 }), (value, max) => {
      const { value: shown } = previewOf(value, max);
      if (bytesOf(value) <= max && max > 1) assert.deepEqual(shown, value);
      if (shown === null) return;
      assert.ok(bytesOf(shown) <= max);
      assert.deepEqual([typeof shown, Array.isArray(shown)], [typeof value, Array.isArray(value)]);
    }),
  );
});

test('nested lists are shown by their first items, and what is far inside by a short path', () => {
  const lists = (depth: number): unknown =>
    depth === 0 ? 'x'.repeat(80) : Array.from({ length: 20 }, () => lists(depth - 1));
  const { value, shown } = previewOf(lists(4), 50_000);
  assert.ok(bytesOf(value) > 20_000 && bytesOf(value) <= 50_000);
  assert.match(shown[0] ?? '', /^result\S*: \d+ of 20 items$/);
  let deep: unknown = 'x'.repeat(100_000);
  for (let level = 0; level < 400; level += 1) deep = { a: 1, b: deep };
  for (const note of previewOf(deep, 50_000).shown) assert.ok(note.length < 200, note);
});

test('the time depends on the limit, not on the value', async () => {
  const row = { text: 'x'.repeat(1000) };
  const large = { rows: Array(200_000).fill(row), more: Array(200_000).fill(row) };
  const lists = (depth: number): unknown =>
    depth === 0 ? 'x'.repeat(80) : Array.from({ length: 20 }, () => lists(depth - 1));
  let deep: unknown = 'x'.repeat(1_000_000);
  for (let level = 0; level < 450; level += 1) deep = { a: 1, b: deep, c: 'y'.repeat(90) };
  for (const value of [large, lists(4), deep]) {
    const five = await leastCpuOf(() => {
      for (let i = 0; i < 5; i++) previewOf(value, 50_000);
    }, 500);
    const ms = five / 5;
    assert.ok(ms < 100, `${ms} ms`);
  }
});
