import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeIntents } from './merge-intents.ts';

/** The answers to one intent, as `{ id: score }`, best first. */
function ranked(scores: Record<string, number>) {
  return Object.entries(scores).map(([id, score]) => ({ id, score, clause: 0 }));
}

test('an entry that answers several intents is the answer to the one it fits best', () => {
  const merged = mergeIntents([ranked({ quartz: 0.1 }), ranked({ amber: 0.5 }), ranked({ quartz: 1 })], 10);
  assert.deepEqual(merged, [
    { id: 'quartz', score: 1, intent: 2 },
    { id: 'amber', score: 0.5, intent: 1 },
  ]);
  const second = mergeIntents([ranked({ quartz: 0.1 }), ranked({ amber: 0.9, quartz: 0.8 })], 10);
  assert.deepEqual(second, [
    { id: 'amber', score: 0.9, intent: 1 },
    { id: 'quartz', score: 0.8, intent: 1 },
  ]);
});

test('the best answer to each intent comes before the others, and says which other intents it answers', () => {
  const read = ranked({ read: 0.9, list: 0.8 });
  const merged = mergeIntents([read, ranked({ read: 0.7, list: 0.6 }), ranked({ send: 0.2 })], 3);
  assert.deepEqual(merged, [
    { id: 'read', score: 0.9, intent: 0, alsoAnswers: [1] },
    { id: 'send', score: 0.2, intent: 2 },
    { id: 'list', score: 0.8, intent: 0 },
  ]);
});
