import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOfCalls } from './call-hash.ts';

test('a loop and the same calls written out have one hash, other calls and other orders have not', () => {
  const loop = hashOfCalls(['map:zip', 'map:distance']);
  assert.equal(hashOfCalls(['map:zip', 'map:zip', 'map:distance']), loop);
  assert.notEqual(hashOfCalls(['map:distance', 'map:zip']), loop);
  assert.notEqual(hashOfCalls(['map:zip', 'map:distance', 'map:zip']), loop);
});

test('a single call has no hash, two calls of one tool have', () => {
  assert.equal(hashOfCalls(['map:zip']), undefined);
  assert.notEqual(hashOfCalls(['map:zip', 'map:zip']), undefined);
});
