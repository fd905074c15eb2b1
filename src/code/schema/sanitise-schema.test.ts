import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SQL_TEXT_PATTERN } from '../sql/sql-hole.ts';
import { sanitiseSchema } from './sanitise-schema.ts';

test('patterns of others are dropped, and the one that guards an SQL string stays', () => {
  const [slow, sql] = [
    { type: 'string', pattern: '^(a+)+$' },
    { type: 'string', pattern: SQL_TEXT_PATTERN },
  ];
  const schema = { type: 'object', properties: { slow, sql } };
  assert.deepEqual(sanitiseSchema(schema), {
    type: 'object',
    properties: { slow: { type: 'string' }, sql },
  });
});
