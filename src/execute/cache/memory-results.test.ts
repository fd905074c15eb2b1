import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CacheEntry } from './cached-result.ts';
import { MemoryResults } from './memory-results.ts';

const entry = (key: string, ttlSeconds = 60): CacheEntry => ({
  ...{ key, ttlSeconds, org: 'acme', project: 'web', readAt: new Date() },
});
const result = (value: unknown) => ({ value, bytes: JSON.stringify(value ?? '').length, dependencies: [] });

/** Results whose clocks a test sets. */
function clocked() {
  const time = { steady: 0, wall: 1_000_000 };
  const clocks = { steady: () => time.steady, wall: () => time.wall };
  return { time, results: new MemoryResults({ entries: 100, bytes: 1e9 }, clocks) };
}

test('a result is found for ttl seconds, by either clock, and not if the wall clock was set back', () => {
  const { time, results } = clocked();
  const at = (steady: number, wall: number) => {
    Object.assign(time, { steady: 0, wall: 1_000_000 });
    results.keep(entry('a'), result(1));
    Object.assign(time, { steady, wall: 1_000_000 + wall });
    return results.find(entry('a'))?.value;
  };
  assert.equal(at(59_999, 59_999), 1);
  assert.equal(at(60_000, 59_999), undefined);
  // The machine slept: only the wall clock went on.
  assert.equal(at(10, 60_000), undefined);
  assert.equal(at(10, -1), undefined);
  // An expired result stays lost after the clock is put right.
  Object.assign(time, { steady: 20, wall: 1_000_010 });
  assert.equal(results.find(entry('a')), undefined);
});

test('a result is a copy, also if it is undefined', () => {
  const { results } = clocked();
  const value = { list: [1] };
  results.keep(entry('a'), result(value));
  value.list.push(2);
  const found = results.find(entry('a'))?.value as typeof value;
  found.list.push(3);
  assert.deepEqual(results.find(entry('a'))?.value, { list: [1] });
  results.keep(entry('b'), result(undefined));
  assert.deepEqual(results.find(entry('b')), { value: undefined, bytes: 2, dependencies: [] });
});

test('the least recently used go first, by count', () => {
  const results = new MemoryResults({ entries: 2, bytes: 1e9 });
  for (const key of ['a', 'b']) results.keep(entry(key), result(key));
  results.find(entry('a'));
  results.keep(entry('c'), result('c'));
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => results.find(entry(key))?.value),
    ['a', undefined, 'c'],
  );
});

test('whatever is kept and found, both bounds hold and nothing wrong is answered', () => {
  const act = fc.record({
    keeps: fc.boolean(),
    key: fc.integer({ min: 0, max: 20 }).map(String),
    size: fc.nat(3000),
  });
  const bounds = { entries: 7, bytes: 20_000 };
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const results = new MemoryResults(bounds);
      const last = new Map<string, string>();
      for (const { keeps, key, size } of acts) {
        const value = 'x'.repeat(size);
        if (keeps) results.keep(entry(key), result(value));
        if (keeps) last.set(key, value);
        const found = results.find(entry(key));
        assert.ok(found === undefined || found.value === last.get(key));
        assert.ok(results.size <= bounds.entries && results.bytes <= bounds.bytes && results.bytes >= 0);
      }
    }),
  );
});
