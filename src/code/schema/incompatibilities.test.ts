import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { Json, JsonSchema } from '../../json.ts';
import { runs, times } from '../../testing/effort.ts';
import { parse } from '../syntax/parse.ts';
import { callsWithArguments } from './argument-schemas.ts';
import { canonicalSchema } from './canonical-schema.ts';
import { incompatibilities } from './incompatibilities.ts';

const object = (properties: Record<string, JsonSchema | boolean>, more: object = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});
const text = { type: 'string' };
const modes = (...values: string[]) => ({ type: 'string', enum: values });
const closed = { additionalProperties: false };

/** Returns the argument schema of a program's only call. */
function passedBy(code: string, parameters: JsonSchema = { type: 'object' }): JsonSchema {
  const [call] = callsWithArguments(parse(code), parameters);
  return (call as { passed: JsonSchema }).passed;
}
const path = passedBy(
  'return mcp.fs.read({ path: args.path })',
  object({ path: text }, { required: ['path'] }),
);
const unknown = passedBy('return mcp.fs.read(args.all)');

// name, schema before, schema after, what the code passes, expected problems
const CASES: [string, JsonSchema, JsonSchema | undefined, JsonSchema, string[]][] = [
  ['the tool is gone', object({}), undefined, unknown, ['is gone']],
  ['nothing changed', object({ path: text }), object({ path: text }), path, []],
  [
    'other words',
    object({ path: { ...text, description: 'a' } }),
    object({ path: { ...text, title: 'b', default: 'x' } }),
    path,
    [],
  ],
  ['a new optional property', object({ path: text }), object({ path: text, mode: text }, closed), path, []],
  [
    'a new required property that the code does not pass',
    object({ path: text }),
    object({ path: text, mode: text }, { required: ['mode'] }),
    path,
    ['now needs "mode"'],
  ],
  [
    'a new required property that the code passes already',
    object({ path: text, mode: text }),
    object({ path: text, mode: text }, { required: ['mode'] }),
    passedBy('const m = 1 + 1; return mcp.fs.read({ path: "a", mode: m })'),
    [],
  ],
  [
    'a new required property that the code passes only if it was given one',
    object({ path: text, mode: text }),
    object({ path: text, mode: text }, { required: ['mode'] }),
    passedBy('return mcp.fs.read({ path: "a", mode: args.mode })', object({ mode: text })),
    ['now needs "mode"'],
  ],
  [
    'a new required property, and who knows what the code passes',
    object({ path: text }),
    object({ path: text, mode: text }, { required: ['mode'] }),
    unknown,
    ['now needs "mode"'],
  ],
  [
    'a property that was required is no longer',
    object({ path: text }, { required: ['path'] }),
    object({ path: text }),
    unknown,
    [],
  ],
  [
    'a passed property is gone, and others are refused',
    object({ path: text }),
    object({ file: text }, closed),
    path,
    ['no longer takes "path"'],
  ],
  ['a passed property is gone, and others are ignored', object({ path: text }), object({}), path, []],
  [
    'a property that is not passed is gone',
    object({ path: text, mode: text }),
    object({ path: text }, closed),
    path,
    [],
  ],
  [
    'an optional property is gone, and who knows whether the code passes it',
    object({ path: text, mode: text }),
    object({ path: text }, closed),
    unknown,
    ['no longer takes "mode"'],
  ],
  [
    'undeclared properties are refused now',
    object({ path: text }),
    object({ path: text }, closed),
    unknown,
    [],
  ],
  [
    'undeclared properties are refused now, and the code passes one',
    object({}),
    object({}, closed),
    path,
    ['no longer takes "path"'],
  ],
  [
    'another type',
    object({ path: text }),
    object({ path: { type: 'number' } }),
    path,
    ['no longer takes a string as "path"'],
  ],
  ['a wider type', object({ path: text }), object({ path: { type: ['string', 'null'] } }), path, []],
  [
    'a choice that has it',
    object({ path: text }),
    object({ path: { anyOf: [{ type: 'array' }, text] } }),
    path,
    [],
  ],
  [
    'an integer where a number is taken',
    object({ n: { type: 'integer' } }),
    object({ n: { type: 'number' } }),
    unknown,
    [],
  ],
  [
    'a number where only integers are taken',
    object({ n: { type: 'number' } }),
    object({ n: { type: 'integer' } }),
    unknown,
    ['no longer takes a number as "n"'],
  ],
  [
    'a type where there was none, and none is known',
    object({ path: {} }),
    object({ path: text }),
    unknown,
    [],
  ],
  [
    'a value less, which the code may pass',
    object({ mode: modes('a', 'b') }),
    object({ mode: modes('a') }),
    unknown,
    ['no longer takes "b" as "mode"'],
  ],
  [
    'a value less, which the code does not pass',
    object({ mode: modes('a', 'b') }),
    object({ mode: modes('a') }),
    passedBy('return mcp.fs.read({ mode: "a" })'),
    [],
  ],
  ['a value more', object({ mode: modes('a') }), object({ mode: modes('a', 'b') }), unknown, []],
  [
    'listed values where all were taken',
    object({ path: text }),
    object({ path: modes('a', 'b') }),
    path,
    ['now takes only "a", "b" as "path"'],
  ],
  [
    'the same further inside',
    object({ o: object({ list: { type: 'array', items: object({ a: text }) } }) }),
    object({ o: object({ list: { type: 'array', items: object({ a: text }, { required: ['b'] }) } }) }),
    unknown,
    ['now needs "o.list[].b"'],
  ],
  [
    'behind references',
    { ...object({ o: { $ref: '#/$defs/o' } }), $defs: { o: object({ a: text }) } },
    { ...object({ o: { $ref: '#/$defs/p' } }), $defs: { p: object({ a: { type: 'boolean' } }) } },
    unknown,
    ['no longer takes a string as "o.a"'],
  ],
];

for (const [what, before, after, passed, problems] of CASES) {
  test(`${what}: ${problems.length === 0 ? 'fits' : problems.join('; ')}`, () => {
    assert.deepEqual(incompatibilities(before, after, passed), problems);
    assert.deepEqual(
      incompatibilities(canonicalSchema(before), after && canonicalSchema(after), passed),
      problems,
      'without words',
    );
  });
}

test('a schema that refers to itself is compared in part', () => {
  const tree: JsonSchema = { ...object({ of: { $ref: '#' } }), required: ['of'] };
  assert.deepEqual(incompatibilities(tree, structuredClone(tree), unknown), []);
});

const scalar = fc.constantFrom<JsonSchema>(
  ...[text, { type: 'integer' }, { type: 'number' }, { type: 'boolean' }, { type: ['string', 'null'] }],
  ...[modes('x'), modes('x', 'y'), { const: 1 }, { enum: ['x', 1, null] }],
);
const { schema } = fc.letrec<{ schema: JsonSchema; record: JsonSchema }>((tie) => ({
  record: fc
    .record({
      properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3 }),
      required: fc.subarray(['a', 'b', 'c']),
      additionalProperties: fc.constantFrom(undefined, false),
    })
    .map(({ properties, required, additionalProperties }) => ({
      type: 'object',
      properties,
      required: required.filter((key) => Object.hasOwn(properties, key)),
      ...(additionalProperties === false && { additionalProperties }),
    })),
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    tie('record'),
    tie('schema').map((items) => ({ type: 'array', items })),
    fc.tuple(tie('schema'), tie('schema')).map((anyOf) => ({ anyOf })),
  ),
}));
const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>('x', 'y', 'z', 1, 2, 1.5, true, null),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    fc.array(tie('value'), { maxLength: 2 }),
  ),
})).value;
const ajv = new Ajv2020({ strict: false });
const takes = (one: JsonSchema, given: Json) => ajv.validate(one, given);

test('a schema fits itself, whatever the code passes', () => {
  fc.assert(
    fc.property(schema, schema, (one, passed) => {
      assert.deepEqual(incompatibilities(one, one, passed), []);
      assert.deepEqual(incompatibilities(one, {}, passed), []);
    }),
    runs(100),
  );
});

test('if a call fits, the tool refuses no value that the code passes and that it accepted before', () => {
  fc.assert(
    fc.property(schema, schema, value, (before, after, given) => {
      // The code passes this very value.
      const passed: JsonSchema = { const: given };
      if (!takes(before, given)) return;
      assert.equal(incompatibilities(before, after, passed).length === 0, takes(after, given));
    }),
    runs(300),
  );
});

test('the same holds by the schemas alone, for an unknown argument', () => {
  let refused = 0;
  fc.assert(
    fc.property(schema, schema, fc.array(value, { minLength: 5, maxLength: 20 }), (before, after, all) => {
      const strict = withoutUndeclared(before);
      const lost = all.filter((given) => takes(strict, given) && !takes(after, given));
      if (lost.length > 0) refused += 1;
      if (lost.length > 0)
        assert.notDeepEqual(incompatibilities(before, after, {}), [], JSON.stringify(lost[0]));
    }),
    runs(300),
  );
  assert.ok(refused > times(50), `${refused} changes were breaking`);
});

/** Closes the schema: code is assumed to pass no undeclared properties. */
function withoutUndeclared(one: JsonSchema): JsonSchema {
  const each = (inner: unknown): unknown =>
    Array.isArray(inner)
      ? inner.map(each)
      : typeof inner === 'object' && inner !== null
        ? withoutUndeclared(inner as JsonSchema)
        : inner;
  const inner = Object.fromEntries(Object.entries(one).map(([key, part]) => [key, each(part)]));
  return one.type === 'object' ? { ...inner, ...closed } : inner;
}
