import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { JsonObject } from '../json.ts';
import { leastCpuOf } from '../testing/cpu-time.ts';
import { runs } from '../testing/effort.ts';
import type { Catalog } from '../upstream/index.ts';
import { toClientSchema, toClientTools } from './client-schemas.ts';

const property = fc.constantFrom<JsonObject>(
  { type: 'string' },
  { type: 'number' },
  { enum: ['a', 1] },
  { type: 'array', items: { type: 'string' } },
);
const leaf = (closed: boolean) =>
  fc
    .record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom('p', 'q', 'r'), property),
      required: fc.subarray(['p', 'q', 'r']),
    })
    .map((schema) => (closed ? { ...schema, additionalProperties: false } : schema) as JsonObject);
// Alternatives are closed: a property that one branch does not mention is shown as the others have it, which helps a model
// more than "anything" would.
const schema: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.array(leaf(true), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  fc.array(leaf(true), { minLength: 1, maxLength: 3 }).map((oneOf) => ({ type: 'object', oneOf })),
  fc
    .tuple(leaf(false), fc.array(leaf(false), { minLength: 1, maxLength: 3 }))
    .map(([base, allOf]) => ({ ...base, allOf })),
  fc.array(leaf(true), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ allOf: [{ anyOf }] })),
);
const value = fc.dictionary(
  fc.constantFrom('p', 'q', 'r', 's'),
  fc.oneof(fc.constantFrom('a', 'text', 1, 2.5, null), fc.array(fc.string(), { maxLength: 2 })),
);

test('the client schema accepts what the server accepts', () => {
  fc.assert(
    fc.property(schema, value, (original, candidate) => {
      const ajv = new Ajv2020({ strict: false });
      const shown = toClientSchema(original);
      if (ajv.validate(original, candidate))
        assert.ok(ajv.validate(shown, candidate), JSON.stringify({ original, shown }));
    }),
    runs(250),
  );
});

test('a client schema is an object schema without combiner or reference at its root', () => {
  fc.assert(
    fc.property(fc.oneof(schema, fc.anything()), (original) => {
      const shown = toClientSchema(original);
      assert.equal(shown.type, 'object');
      for (const key of ['anyOf', 'oneOf', 'allOf', '$ref']) assert.equal(key in shown, false);
    }),
  );
});

test('a plain schema is passed on unchanged, unknown keys included', () => {
  const plain = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }] } }, 'x-odd': 1, $defs: {} };
  assert.equal(toClientSchema(plain), plain);
});

test('alternatives become one object with the properties of all, requiring what all require', () => {
  const shown = toClientSchema({
    description: 'either',
    oneOf: [
      { type: 'object', properties: { id: { type: 'string' }, by: { const: 'id' } }, required: ['id', 'by'] },
      {
        type: 'object',
        properties: { name: { type: 'string' }, by: { const: 'name' } },
        required: ['name', 'by'],
      },
    ],
  });
  assert.deepEqual(shown, {
    description: 'either',
    type: 'object',
    properties: {
      id: { type: 'string' },
      by: { anyOf: [{ const: 'id' }, { const: 'name' }] },
      name: { type: 'string' },
    },
    required: ['by'],
  });
});

test('a reference at the root is followed', () => {
  const shown = toClientSchema({
    $ref: '#/$defs/Input',
    $defs: { Input: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } },
  });
  assert.deepEqual(shown.properties, { a: { type: 'number' } });
  assert.deepEqual(shown.required, ['a']);
});

test('a schema that refers to itself at the root is followed once', () => {
  assert.equal(toClientSchema({ $ref: '#', anyOf: [{ $ref: '#/anyOf/0' }] }).type, 'object');
});

test('a schema that is too large is shown as an excerpt', () => {
  const choices = Array.from({ length: 100_000 }, (_, i) => `choice ${i}`);
  const shown = toClientSchema({
    properties: { a: { enum: choices }, b: { type: 'string' } },
    required: ['b'],
  });
  assert.deepEqual(shown, { type: 'object', properties: { a: {}, b: { type: 'string' } }, required: ['b'] });
});

test('many tools with recursive schemas cost no more than one', async () => {
  const inputSchema = {
    $ref: '#/$defs/a',
    $defs: {
      a: { allOf: Array(50).fill({ $ref: '#/$defs/b' }) },
      b: { anyOf: Array(50).fill({ $ref: '#/$defs/a' }) },
    },
  };
  const tools = Array.from({ length: 3000 }, (_, i) => ({
    name: `t${i}`,
    inputSchema,
    outputSchema: { type: 'object' },
  }));
  const catalog = { tools } as unknown as Catalog;
  // Each try has a catalogue of its own, since the form for clients is kept.
  const ms = await leastCpuOf(() => toClientTools({ ...catalog }), 1000);
  assert.ok(ms < 1000, `${ms} ms`);
  const shown = toClientTools(catalog);
  assert.ok(shown.every((tool) => (tool.inputSchema as JsonObject).type === 'object' && tool.outputSchema));
  assert.equal(toClientTools(catalog), shown);
});
