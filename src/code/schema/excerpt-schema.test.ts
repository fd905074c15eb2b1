import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../../json.ts';
import { excerptSchema } from './excerpt-schema.ts';

const itself = { $ref: '#' };

function properties(count: number, schema: JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, schema]));
}

function size(value: unknown): number {
  return JSON.stringify(value).length;
}

test('a recursive schema with two branches is expanded five levels deep', () => {
  const tree = { type: 'object', properties: properties(2, itself) } as const;
  let told: JsonSchema = { type: 'object' };
  for (let depth = 0; depth < 5; depth += 1) told = { type: 'object', properties: properties(2, told) };
  assert.deepEqual(excerptSchema(tree, tree), told);
});

test('a schema that holds itself twenty times is expanded in part, with the keywords of each part', () => {
  const schema = { type: 'object', description: 'a node', properties: properties(20, itself) } as const;
  const excerpt = excerptSchema(schema, schema);
  assert.ok(size(excerpt) < 100_000 && Object.keys(excerpt.properties ?? {}).length === 20);
  const last = excerpt.properties?.p19 as JsonSchema;
  assert.deepEqual(last.properties?.p19, { type: 'object', description: 'a node' });
});

test('a list without room is left out, and the rest is kept', () => {
  const schema = {
    properties: { a: { enum: Array.from({ length: 50_000 }, (_, i) => i) }, b: { type: 'string' } },
  } as const;
  assert.deepEqual(excerptSchema(schema, schema), { properties: { a: {}, b: { type: 'string' } } });
});

test('a type unknown to JSON Schema may be any', () => {
  for (const type of ['any', 'int', 'date', '', 5, ['string', 'int'], [], {}])
    assert.deepEqual(excerptSchema({}, { type, format: 'f' } as JsonSchema), { format: 'f' });
  assert.deepEqual(excerptSchema({}, { type: ['string', 'null', 'string'] }), { type: ['string', 'null'] });
});
