import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../../json.ts';
import { inferParametersSchema } from '../parameters/infer-parameters.ts';
import { parse } from '../syntax/parse.ts';
import { excerptSchema } from './excerpt-schema.ts';

const itself = { $ref: '#' };

function properties(count: number, schema: JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, schema]));
}

function declared(types: string): JsonSchema {
  return inferParametersSchema(parse(`${types} return args.a as A`), { toolSchema: () => undefined });
}

function size(value: unknown): number {
  return JSON.stringify(value).length;
}

test('a tree of two branches is told five deep, as it always was', () => {
  const tree = { type: 'object', properties: properties(2, itself) } as const;
  let told: JsonSchema = { type: 'object' };
  for (let depth = 0; depth < 5; depth += 1) told = { type: 'object', properties: properties(2, told) };
  assert.deepEqual(excerptSchema(tree, tree), told);
});

test('a schema of twenty times itself is told in part, with what each part is', () => {
  const schema = { type: 'object', description: 'a node', properties: properties(20, itself) } as const;
  const excerpt = excerptSchema(schema, schema);
  assert.ok(size(excerpt) < 100_000 && Object.keys(excerpt.properties ?? {}).length === 20);
  const last = excerpt.properties?.p19 as JsonSchema;
  assert.deepEqual(last.properties?.p19, { type: 'object', description: 'a node' });
});

test('a list that finds no room is left out, and the rest is told', () => {
  const schema = {
    properties: { a: { enum: Array.from({ length: 50_000 }, (_, i) => i) }, b: { type: 'string' } },
  } as const;
  assert.deepEqual(excerptSchema(schema, schema), { properties: { a: {}, b: { type: 'string' } } });
});

test('a type that JSON Schema does not know may be any', () => {
  for (const type of ['any', 'int', 'date', '', 5, ['string', 'int'], [], {}])
    assert.deepEqual(excerptSchema({}, { type, format: 'f' } as JsonSchema), { format: 'f' });
  assert.deepEqual(excerptSchema({}, { type: ['string', 'null', 'string'] }), { type: ['string', 'null'] });
});

test('types that hold themselves are told in part', () => {
  const names = Array.from({ length: 120 }, (_, i) => `p${i}: A`).join(';');
  assert.ok(size(declared(`type A = {${names}};`)) < 66_000);
  assert.deepEqual(declared(`type A = ${Array(80).fill('A').join('|')};`).properties, { a: {} });
  const list = declared('type A = { next?: A };');
  assert.ok(
    size(list) < 500 && JSON.stringify(list).includes('"next":{"type":"object","properties":{"next"'),
  );
});

test('a type said twice is said once', () => {
  assert.deepEqual(declared('type A = string | string;').properties, { a: { type: 'string' } });
  assert.deepEqual(declared('type A = { x: number; x: number };').properties?.a, {
    ...{ type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
  });
  assert.deepEqual(declared('type A = undefined | undefined;').properties, { a: {} });
});

test('where not all parameters find room, others are taken too', () => {
  const uses = Array.from({ length: 4000 }, (_, i) => `args.a_rather_long_name_${i}`);
  const schema = inferParametersSchema(parse(`return [${uses.join(',\n')}]`), {
    toolSchema: () => undefined,
  });
  assert.ok(size(schema) < 66_000);
  assert.equal(schema.additionalProperties, undefined);
});
