import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { runs } from '../../testing/effort.ts';
import { coversOutput, declaredOutput, fitOutput, fitsOutput } from './declare-output.ts';
import { inferOutput, loosenOutput, uniteOutputs } from './infer-output.ts';

const ajv = () => new Ajv2020({ strict: false, validateSchema: false, allErrors: true });

const names = fc.constantFrom(
  'id',
  'name',
  'total',
  'items',
  'next-page',
  'ana@acme.example',
  '2026-01-02',
  '__proto__',
);
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { maxKeys: 5 }),
  ),
}));
/** As JSON carries it. */
const json = anyValue.map((value) => JSON.parse(JSON.stringify(value)));
const results = fc.array(json, { minLength: 1, maxLength: 6 });
const objects = fc.array(
  fc.dictionary(names, json, { maxKeys: 5 }).map((one) => ({ ...one })),
  {
    minLength: 1,
    maxLength: 6,
  },
);

test('every result fits the schema of all of them, by the validator that clients use', () => {
  fc.assert(
    fc.property(results, (all) => {
      const schema = all.map(inferOutput).reduce(uniteOutputs);
      const validate = ajv().compile(schema);
      for (const one of all)
        assert.ok(validate(one) && fitsOutput(schema, one), JSON.stringify({ schema, one }));
    }),
    runs(300),
  );
});

test('a schema only grows: the order of results and their repetition do not matter', () => {
  fc.assert(
    fc.property(results, (all) => {
      const schema = all.map(inferOutput).reduce(uniteOutputs);
      assert.deepEqual(all.map(inferOutput).reduce(uniteOutputs, schema), schema);
      assert.deepEqual(
        sorted(all.toReversed().map(inferOutput).reduce(uniteOutputs)),
        sorted(all.map(inferOutput).reduce(uniteOutputs)),
      );
    }),
    runs(300),
  );
});

test('whatever a client was told, the structured content of any later answer fits it', () => {
  fc.assert(
    fc.property(objects, json, (all, later) => {
      const declared = declaredOutput(all.map(inferOutput).reduce(uniteOutputs), 'return { id, items }');
      if (!declared) return;
      const validate = ajv().compile(declared);
      for (const one of all) assert.deepEqual(fitOutput(declared, one), one);
      assert.ok(validate(fitOutput(declared, later)), JSON.stringify({ declared, later }));
    }),
    runs(500),
  );
});

test('what covers a schema fits all that fits the schema', () => {
  fc.assert(
    fc.property(objects, objects, (all, more) => {
      const schema = all.map(inferOutput).reduce(uniteOutputs);
      const declared = declaredOutput(schema, 'return { id, items }');
      if (!declared) return;
      assert.ok(coversOutput(declared, schema));
      const wider = more.map(inferOutput).reduce(uniteOutputs, schema);
      const fitting = more.every((one) => fitsOutput(declared, one));
      if (coversOutput(declared, wider)) assert.ok(fitting, JSON.stringify({ declared, more }));
    }),
    runs(500),
  );
});

test("another's result loosens types and adds no name", () => {
  fc.assert(
    fc.property(json, json, (own, others) => {
      const schema = inferOutput(own);
      const loosened = loosenOutput(schema, others);
      for (const one of [own, others])
        assert.ok(fitsOutput(loosened, one), JSON.stringify({ loosened, one }));
      const known = new Set(namesIn(schema));
      assert.deepEqual(
        namesIn(loosened).filter((name) => !known.has(name)),
        [],
      );
    }),
    runs(300),
  );
});

test('types are united, required names intersected, and no value is in the schema', () => {
  const all = [
    { id: 7, tags: [], owner: { name: 'ana' }, note: 'x' },
    { id: 7.5, tags: ['a', 'b'], owner: null },
  ];
  assert.deepEqual(all.map(inferOutput).reduce(uniteOutputs), {
    type: 'object',
    properties: {
      id: { type: 'number' },
      tags: { type: 'array', items: { type: 'string' } },
      owner: {
        type: ['null', 'object'],
        properties: { name: { type: 'string' } },
        required: ['name'],
      },
      note: { type: 'string' },
    },
    required: ['id', 'owner', 'tags'],
  });
});

test('keys that are data make a map', () => {
  const maps = [
    { 'ana@acme.example': 1, 'ben@acme.example': 2 },
    { '2026-01-02': 3 },
    { 'Ana Müller': 1 },
    { order_20391: 1 },
    { gh_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fG3: 1 },
    Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`k${at}`, at])),
  ];
  for (const map of maps)
    assert.deepEqual(inferOutput(map), { type: 'object', additionalProperties: { type: 'number' } });
  const people = ['ana', 'ben', 'cyd', 'dan', 'eve', 'fay', 'gus', 'hal'].map((name) => ({ [name]: 1 }));
  assert.deepEqual(people.map(inferOutput).reduce(uniteOutputs), {
    type: 'object',
    additionalProperties: { type: 'number' },
  });
});

test('a name that the code does not hold is declared only if every result has it', () => {
  const schema = [
    { count: 1, ana: 2, total: 3 },
    { count: 1, ben: 2, total: 3 },
  ]
    .map(inferOutput)
    .reduce(uniteOutputs);
  assert.deepEqual(declaredOutput(schema, 'return { ...found, count }'), {
    type: 'object',
    properties: { count: { type: 'number' }, total: { type: 'number' } },
  });
});

test('results that are not always objects, or of which nothing is known, are not declared', () => {
  const declared = (...all: unknown[]) => declaredOutput(all.map(inferOutput).reduce(uniteOutputs), '');
  assert.equal(declared('text'), undefined);
  assert.equal(declared({ a: 1 }, null), undefined);
  assert.equal(declared([1]), undefined);
  assert.equal(declared({}), undefined);
  assert.ok(declared({ a: 1 }));
});

test('large, deep and wide results cost little and give small schemas', () => {
  let deep: unknown = 1;
  for (let at = 0; at < 900; at++) deep = { deep };
  const wide = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `field${at}`,
      Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`inner${n}`, { x: 1 }])),
    ]),
  );
  const long = { rows: Array.from({ length: 200_000 }, (_, at) => ({ at })) };
  for (const value of [deep, wide, long, { list: [deep, deep] }]) {
    const schema = inferOutput(value);
    assert.ok(fitsOutput(schema, value));
    const declared = declaredOutput(schema, '');
    assert.ok(declared === undefined || JSON.stringify(declared).length <= 4096);
  }
});

function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, required = [], items, additionalProperties } = schema as Record<string, never>;
  const inner = [...Object.values(properties), items, additionalProperties].flatMap(namesIn);
  return [...Object.keys(properties), ...(required as string[]), ...inner];
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}
