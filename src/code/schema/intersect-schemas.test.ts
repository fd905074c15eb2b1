import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Budget } from '../../budget.ts';
import type { Json, JsonSchema } from '../../json.ts';
import { runs } from '../../testing/effort.ts';
import { intersectSchemas } from './intersect-schemas.ts';
import { matchesSchema } from './match-value.ts';

const values = fc.constantFrom<Json>(
  null,
  true,
  1,
  2.5,
  -3,
  'a',
  'b',
  ['a'],
  [1],
  { x: 1 },
  { x: 'a', y: 2 },
  {},
);

const { schema: schemas } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.record(
    {
      type: fc.oneof(
        fc.constantFrom('string', 'number', 'integer', 'array', 'object', 'null'),
        fc.constant(['string', 'integer']),
      ),
      enum: fc.uniqueArray(fc.constantFrom<Json>('a', 'b', 1, 2.5), { minLength: 1 }),
      minimum: fc.integer({ min: -5, max: 5 }),
      maximum: fc.integer({ min: -5, max: 5 }),
      items: fc.oneof({ maxDepth: 2 }, fc.constant({ type: 'string' }), tie('schema')),
      properties: fc.dictionary(
        fc.constantFrom('x', 'y'),
        fc.oneof({ maxDepth: 2 }, fc.constant({ type: 'number' }), tie('schema')),
      ),
      required: fc.uniqueArray(fc.constantFrom('x', 'y')),
      description: fc.constant('text'),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonSchema>,
}));

test('a value that both schemas take is taken', () => {
  fc.assert(
    fc.property(schemas, schemas, values, (a, b, value) => {
      const both = intersectSchemas(a, b, new Budget());
      if (matchesSchema(a, value) && matchesSchema(b, value))
        assert.ok(matchesSchema(both, value), JSON.stringify(both));
    }),
    runs(300),
  );
});

test('choices and types are intersected, and kept where only one has them', () => {
  const both = (a: JsonSchema, b: JsonSchema) => intersectSchemas(a, b, new Budget());
  assert.deepEqual(both({ enum: ['a', 'b'] }, { enum: ['b', 'c'] }), { enum: ['b'] });
  assert.deepEqual(both({ enum: ['a'] }, { type: 'string' }), { enum: ['a'], type: 'string' });
  assert.deepEqual(both({ type: 'number' }, { type: 'integer', description: 'n' }), {
    type: 'integer',
    description: 'n',
  });
  assert.deepEqual(both({ type: ['string', 'null'] }, { type: 'string' }), { type: 'string' });
  // An impossible pair stays open.
  assert.deepEqual(both({ type: 'string', enum: ['a'] }, { type: 'number', enum: [1] }), {});
});

test('without budget the first schema stays', () => {
  const a = { enum: ['a', 'b'] };
  assert.equal(intersectSchemas(a, { enum: ['b'] }, new Budget({ steps: 2 })), a);
});
