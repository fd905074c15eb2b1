import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../budget.ts';
import { SQL_TEXT_PATTERN, UNQUOTED_TEXT_PATTERN } from '../sql/sql-hole.ts';
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

test('what keeps a value in its place in SQL stays, however deep or large the schema is', () => {
  const guards = {
    city: { type: 'string', pattern: SQL_TEXT_PATTERN, default: 'Oslo' },
    cities: { type: 'array', items: { type: 'string', pattern: UNQUOTED_TEXT_PATTERN } },
    limit: { type: 'integer', minimum: 0, maximum: 9 },
    limits: { type: 'array', items: { type: 'number', minimum: 0 } },
  };
  const schema = {
    type: 'object',
    properties: { ...guards, other: { type: 'string', enum: ['a'] } },
  } as const;
  for (const options of [{ depth: 1 }, { budget: new Budget({ nodes: 1 }) }])
    assert.deepEqual(sanitiseSchema(schema, options).properties, { ...guards, other: {} });
});
