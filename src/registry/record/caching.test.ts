import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from '../testing.ts';
import { MAX_TTL, NOT_CACHED, patchCaching } from './caching.ts';

test('a policy without ttl gets the default, and the ttl stays when the policy changes', () => {
  const memoized = patchCaching(NOT_CACHED, { cachePolicy: 'memoize' });
  assert.deepEqual(memoized, { cachePolicy: 'memoize', ttl: 300, cacheForced: false });
  const longer = patchCaching(memoized, { ttl: MAX_TTL });
  assert.deepEqual(patchCaching(longer, { cachePolicy: 'persistent' }).ttl, MAX_TTL);
  assert.deepEqual(patchCaching(NOT_CACHED, { ttl: 5 }), { ...NOT_CACHED, ttl: 5 });
  assert.deepEqual(patchCaching(NOT_CACHED, {}), NOT_CACHED);
});

test('force holds for the policy it was given with', () => {
  const forced = patchCaching(NOT_CACHED, { cachePolicy: 'memoize', force: true });
  assert.equal(forced.cacheForced, true);
  assert.equal(patchCaching(forced, { ttl: 5 }).cacheForced, true);
  assert.equal(patchCaching(forced, { cachePolicy: 'persistent' }).cacheForced, false);
  assert.equal(patchCaching(forced, { cachePolicy: 'none', force: true }).cacheForced, false);
});

test('a ttl that is no good number of seconds is refused', async () => {
  for (const ttl of [0, -1, 1.5, MAX_TTL + 1, Number.NaN, Infinity]) {
    const patch = async () => patchCaching(NOT_CACHED, { cachePolicy: 'memoize', ttl });
    assert.equal(
      await failureOf(patch()),
      `invalid_arguments: ttl must be 1 to ${MAX_TTL} seconds, not ${ttl}.`,
    );
  }
});
