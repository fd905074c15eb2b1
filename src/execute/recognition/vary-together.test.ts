import assert from 'node:assert/strict';
import { test } from 'node:test';
import { variedTogether } from './vary-together.ts';

test('flags and numbers that both programs have once are changed in both', () => {
  const varied = [...variedTogether({ dryRun: true, limit: 5, a: 'x' }, { dry: true, most: 5, b: 'x' })];
  assert.deepEqual(varied, [
    [
      { dryRun: false, limit: 5, a: 'x' },
      { dry: false, most: 5, b: 'x' },
    ],
    [
      { dryRun: true, limit: 0, a: 'x' },
      { dry: true, most: 0, b: 'x' },
    ],
    [
      { dryRun: true, limit: 6000, a: 'x' },
      { dry: true, most: 6000, b: 'x' },
    ],
  ]);
});

test('values that two arguments share are left alone, since nobody knows which is which', () => {
  assert.deepEqual([...variedTogether({ a: 5, b: 5 }, { c: 5 })], []);
  assert.deepEqual([...variedTogether({ a: 5 }, { c: 5, d: 5 })], []);
});

test('one argument alone can be changed', () => {
  const [first] = variedTogether({ a: true, b: 3 }, { c: true, d: 3 }, 'd');
  assert.deepEqual(first, [
    { a: true, b: 0 },
    { c: true, d: 0 },
  ]);
});
