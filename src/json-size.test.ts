import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutText, isTooDeep, jsonBytes, MAX_JSON_NESTING } from './json-size.ts';

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test('the size is that of the JSON text, for any limit', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat({ max: 200 }), (value, limit) => {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      assert.equal(jsonBytes(value, 1_000_000), bytes);
      assert.equal(jsonBytes(value, limit), bytes <= limit ? bytes : Infinity);
    }),
  );
});

test('measuring stops at the limit', () => {
  let looks = 0;
  const list = Array.from({ length: 1000 }, () => ({
    get text() {
      looks += 1;
      return 'x'.repeat(100);
    },
  }));
  assert.equal(jsonBytes(list, 1000), Infinity);
  assert.ok(looks < 12, `${looks} looks`);
  assert.equal(jsonBytes('x'.repeat(1_000_000), 1000), Infinity);
});

test('data is too deep from one level above the limit on', () => {
  assert.equal(isTooDeep(nested(MAX_JSON_NESTING)), false);
  assert.equal(isTooDeep(nested(MAX_JSON_NESTING + 1)), true);
  assert.equal(isTooDeep({ a: [{ b: nested(1_000_000) }] }), true);
  assert.equal(jsonBytes(nested(100_000), 10_000_000), Infinity);
});

test('a cut text says how much is missing', () => {
  assert.equal(cutText('short', 5), 'short');
  assert.equal(cutText('longer', 4), 'long… (2 characters left out)');
});
