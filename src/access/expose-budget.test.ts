import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chooseUnlisted, OWN_TOOLS_TOKENS } from './expose-budget.ts';

const choose = (sizes: Record<string, number>, budget: number) => [
  ...chooseUnlisted(new Map(Object.entries(sizes)), OWN_TOOLS_TOKENS + budget),
];

test('up to the budget everything is listed', () => {
  assert.deepEqual(choose({ a: 600, b: 400 }, 1000), []);
});

test('above it whole servers are left out, the largest first, until the rest fits', () => {
  const sizes = { small: 100, huge: 5000, large: 900, medium: 400 };
  assert.deepEqual(choose(sizes, 1400), ['huge']);
  assert.deepEqual(choose(sizes, 1000), ['huge', 'large']);
  assert.deepEqual(choose(sizes, 0), ['huge', 'large', 'medium', 'small']);
});

test('the choice depends on names and sizes alone, keeps to the budget, and leaves out none without need', () => {
  const sizesOf = fc.uniqueArray(fc.tuple(fc.string({ maxLength: 4 }), fc.nat(3000)), {
    selector: ([name]) => name,
    maxLength: 12,
  });
  fc.assert(
    fc.property(sizesOf, fc.nat(6000), (sizes, budget) => {
      const unlisted = chooseUnlisted(new Map(sizes), OWN_TOOLS_TOKENS + budget);
      assert.deepEqual(chooseUnlisted(new Map(sizes.toReversed()), OWN_TOOLS_TOKENS + budget), unlisted);
      const left = sizes.filter(([name]) => !unlisted.has(name));
      const total = left.reduce((sum, [, tokens]) => sum + tokens, 0);
      assert.ok(total <= budget);
      const last = sizes.find(([name]) => name === [...unlisted].at(-1));
      if (last) assert.ok(total + last[1] > budget);
    }),
  );
});
