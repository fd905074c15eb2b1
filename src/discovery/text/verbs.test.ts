import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectOf } from './verbs.ts';

test('verbs are known in the third person, in which descriptions are written', () => {
  for (const [word, effect] of Object.entries({
    lists: 'read',
    fetches: 'read',
    queries: 'read',
    displays: 'read',
    deploys: 'create',
    buys: 'create',
    modifies: 'update',
    destroys: 'delete',
  }))
    assert.equal(effectOf(word), effect, word);
});

test('"new" asks for something to be created, "news" does not', () => {
  assert.deepEqual([effectOf('new'), effectOf('news')], ['create', undefined]);
});
