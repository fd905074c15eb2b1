import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Budget } from './budget.ts';
import { countValues, jsonFits } from './json-size.ts';

test('a value fits if its JSON does, to the byte', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'small' }), (value) => {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      assert.equal(jsonFits(value, bytes), true);
      assert.equal(jsonFits(value, bytes - 1), false);
    }),
  );
});

test('a value too deep for JSON.stringify does not fit, and counts as the maximum', () => {
  let deep: unknown = 0;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  assert.equal(jsonFits(deep, 1_000_000_000), false);
  assert.equal(countValues(deep, 1000), 1000);
  assert.equal(countValues([1, { a: 'b' }], 1000), 4);
});

test('steps run out for good; a value without room leaves room for smaller ones', () => {
  const budget = new Budget({ steps: 6, bytes: 20 });
  assert.equal(budget.keep('x'.repeat(30)), false);
  assert.equal(budget.keep('x'), true);
  assert.deepEqual([budget.step(4), budget.step(), budget.keep('x')], [true, false, false]);
});

test('parts share steps and have their own output', () => {
  const budget = new Budget({ steps: 3, bytes: 10 });
  const [one, two] = [budget.part(10), budget.part(10)];
  assert.deepEqual([one.keep('12345'), one.keep('12345'), two.keep('12345')], [true, false, true]);
  assert.equal(two.step(), false);
});
