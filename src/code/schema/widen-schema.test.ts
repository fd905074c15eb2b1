import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonSchema } from '../../json.ts';
import { matchesSchema } from './match-value.ts';
import { widenSchema } from './widen-schema.ts';

const TABLE: readonly [schema: JsonSchema, value: Json, widened: JsonSchema][] = [
  [{ type: 'string', format: 'date' }, 5, { type: ['string', 'number'] }],
  [{ type: 'integer', minimum: 1, default: 3 }, 0.5, { type: 'number', default: 3 }],
  [{ enum: ['day', 'week'], description: 'unit' }, 'month', { type: 'string', description: 'unit' }],
  [{ type: 'array', items: { type: 'string' } }, [1], { type: 'array' }],
  [{ type: 'string', examples: ['a'] }, null, { type: ['string', 'null'], examples: ['a'] }],
];

for (const [property, value, expected] of TABLE)
  test(`${JSON.stringify(property)} takes ${JSON.stringify(value)} once it ran`, () => {
    const schema: JsonSchema = { type: 'object', properties: { x: property }, required: ['x'] };
    const widened = widenSchema(schema, { x: value, other: 1 });
    assert.deepEqual(widened, { ...schema, properties: { x: expected } });
    assert.ok(matchesSchema(widened, { x: value }));
    assert.equal(widenSchema(widened, { x: value }), widened, 'nothing is left to widen');
  });
