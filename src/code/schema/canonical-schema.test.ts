import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalSchema } from './canonical-schema.ts';

test('annotations and the order of keys do not change the canonical schema', () => {
  const wordy = { description: 'a', properties: { title: { title: 'b', type: 'string' } }, type: 'object' };
  assert.equal(
    JSON.stringify(canonicalSchema(wordy)),
    JSON.stringify(canonicalSchema({ type: 'object', properties: { title: { type: 'string' } } })),
  );
});
