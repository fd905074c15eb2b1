import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenBucket } from './token-bucket.ts';

test('a burst is as large as the bucket; then tokens come back at a steady pace', () => {
  let now = 0;
  const bucket = new TokenBucket(10, 5, () => now);
  assert.ok(bucket.take(5));
  assert.ok(!bucket.tryTake(1));
  assert.equal(bucket.msUntil(1), 100);
  now += 100;
  assert.ok(bucket.tryTake(1));
  now += 1_000_000;
  assert.ok(bucket.take(5));
  assert.ok(!bucket.take(5), 'into debt');
  assert.equal(bucket.msUntil(0), 500);
});
