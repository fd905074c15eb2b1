import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { Json, JsonSchema } from '../../json.ts';
import { runs } from '../../testing/effort.ts';
import { parse } from '../syntax/parse.ts';
import { generalise } from './generalise.ts';
import { inferParametersSchema } from './infer-parameters.ts';

const CALENDAR: JsonSchema = {
  type: 'object',
  required: ['unit'],
  properties: {
    unit: { enum: ['day', 'week'] },
    limit: { type: 'integer', minimum: 1, maximum: 50 },
    date: { type: 'string' },
    cities: { type: 'array', items: { type: 'string' } },
  },
};

function schemaOf(code: string, given?: Record<string, Json>): JsonSchema {
  const callees = { toolSchema: () => CALENDAR, isReadOnly: () => true };
  const learned = generalise(parse(code), callees);
  return inferParametersSchema(parse(learned.code), { ...callees, parameters: learned.parameters, given });
}

function parametersOf(code: string, given?: Record<string, Json>): Record<string, JsonSchema> {
  return schemaOf(code, given).properties as Record<string, JsonSchema>;
}

/** What one line of code makes of its literal: the name, and what the schema says of it. */
const LITERALS: readonly [code: string, name: string, schema: JsonSchema][] = [
  ['const MIN_OPEN = 5; return r.open >= MIN_OPEN', 'min_open', { type: 'number', default: 5 }],
  ['const W = 5; return r.open >= W', 'min_open', { type: 'number', default: 5 }],
  ['if (acc.balance < 25.5) throw 1; return 1', 'min_balance', { type: 'number', default: 25.5 }],
  ['return all.filter((r) => r.state === "open")', 'state', { type: 'string', default: 'open' }],
  ['const f = (params) => params; return f("Oslo")', 'text', { type: 'string', default: 'Oslo' }],
  ['const f = (city) => city; return f("Oslo")', 'city', { type: 'string', default: 'Oslo' }],
  ['const dryRun = false; if (!dryRun) f()', 'dryRun', { type: 'boolean', default: false }],
  ['const X = "https://a.org/b"; return f(X)', 'url', { type: 'string', default: 'https://a.org/b' }],
  [
    'const from = "2026-03-02"; return d > from',
    'from',
    { type: 'string', format: 'date', default: '2026-03-02' },
  ],
  [
    'for (const city of ["Oslo", "Bergen"]) f(city)',
    'cities',
    { type: 'array', items: { type: 'string' }, default: ['Oslo', 'Bergen'] },
  ],
  ['return mcp.cal.list({ unit: "day" })', 'unit', { enum: ['day', 'week'], default: 'day' }],
  ['return mcp.cal.list({ limit: 7 })', 'limit', { type: 'integer', minimum: 1, maximum: 50, default: 7 }],
  ['return mcp.cal.list({ date: "2026-03-02" })', 'date', { type: 'string', default: '2026-03-02' }],
  // The tool's schema forbids them, but they ran.
  ['return mcp.cal.list({ limit: 70 })', 'limit', { type: 'number', default: 70 }],
  ['return mcp.cal.list({ unit: "month" })', 'unit', { type: 'string', default: 'month' }],
];

for (const [code, name, expected] of LITERALS)
  test(`a literal is named and typed by its role: ${code}`, () => {
    const [[found, { description: _, ...schema }] = ['', {}], ...others] = Object.entries(parametersOf(code));
    assert.deepEqual([found, schema, others.length], [name, expected, 0]);
  });

const OWN: readonly [code: string, given: Record<string, Json>, schema: JsonSchema][] = [
  [
    'return args.x',
    { x: '2026-03-02' },
    { type: 'string', format: 'date', description: 'YYYY-MM-DD', examples: ['2026-03-02'] },
  ],
  [
    'return args.x',
    { x: '2026-03-02T10:00:00Z' },
    {
      type: 'string',
      format: 'date-time',
      description: 'YYYY-MM-DDThh:mm:ssZ',
      examples: ['2026-03-02T10:00:00Z'],
    },
  ],
  ['return args.x', { x: ['a'] }, { type: 'array', items: { type: 'string' }, examples: [['a']] }],
  [
    'return r.day > args.x',
    { x: '2026-03-02' },
    { type: 'string', format: 'date', description: 'minimum of day, YYYY-MM-DD', examples: ['2026-03-02'] },
  ],
  [
    'return mcp.cal.list({ unit: args.x })',
    { x: 'week' },
    { enum: ['day', 'week'], description: 'unit of cal:list', examples: ['week'] },
  ],
  [
    'return mcp.cal.list({ unit: args.x })',
    { x: 'month' },
    { type: 'string', description: 'unit of cal:list', examples: ['month'] },
  ],
  ['return args.x', { x: null }, {}],
];

for (const [code, given, expected] of OWN)
  test(`an argument is typed by what was passed: ${code} with ${JSON.stringify(given)}`, () => {
    assert.deepEqual(parametersOf(code, given).x, expected);
  });

const value = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('2026-03-02', '2026-03-02T10:00:00Z', 'day', 'month', ''),
  fc.integer({ min: -60, max: 60 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -9, max: 99 }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(fc.string({ maxLength: 3 }), fc.integer()), { maxLength: 3 }),
  fc.record({ zip: fc.oneof(fc.string({ maxLength: 3 }), fc.integer()) }),
) as fc.Arbitrary<Json>;

const USES = [
  'mcp.cal.list({ unit: #, limit: 3 })',
  'mcp.cal.list({ limit: # })',
  'f(#)',
  'r.open > #',
  'all.includes(#)',
  '# ?? 4',
];

/** Code as it was sent with arguments, or with the same values written out. */
const programs = fc.record({
  uses: fc.array(fc.constantFrom(...USES), { minLength: 1, maxLength: 3 }),
  values: fc.array(value, { minLength: 3, maxLength: 3 }),
});

test('the schema accepts the arguments that ran, and the defaults and examples that it names', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  fc.assert(
    fc.property(programs, ({ uses, values }) => {
      const passed = uses.map((use, at) => use.replace('#', `args.x${at}`)).join(', ');
      const given = Object.fromEntries(uses.map((_, at) => [`x${at}`, values[at] as Json]));
      const own = schemaOf(`return [${passed}]`, given);
      assert.ok(ajv.validate(own, given), JSON.stringify([own, given]));

      const written = uses.map((use, at) => use.replace('#', JSON.stringify(values[at]))).join(', ');
      const lifted = schemaOf(`const l = [${written}]; return l`);
      const named = Object.entries(lifted.properties as Record<string, JsonSchema>).map(([name, schema]) => {
        return [name, 'default' in schema ? schema.default : (schema.examples as Json[] | undefined)?.[0]];
      });
      assert.ok(ajv.validate(lifted, Object.fromEntries(named)), JSON.stringify(lifted));
    }),
    runs(300),
  );
});

test('the type of a lifted literal is that of the literal', () => {
  const literals = fc.oneof(
    fc.integer({ min: 2, max: 900 }),
    fc.stringMatching(/^[a-z]{2,9}$/),
    fc.boolean(),
  );
  fc.assert(
    fc.property(literals, (literal) => {
      const code = `const chosen = ${JSON.stringify(literal)}; return f(chosen, chosen)`;
      const { chosen } = parametersOf(code);
      assert.equal(chosen?.type, typeof literal);
    }),
    runs(100),
  );
});
