import fc from 'fast-check';

const names = fc.constantFrom('a', 'p0', 'p1', 'p2', '__proto__', 'constructor', 'x-y');
const refs = fc.constantFrom(
  '#',
  '#/$defs/a',
  '#/$defs/b',
  '#/properties/a',
  '#/$defs/missing',
  'http://a/b',
  '#/$defs/a/items',
);
const types = fc.constantFrom<unknown>(
  ...['string', 'number', 'integer', 'boolean', 'object', 'array', 'null', 'any', 'int', '', 5, null],
  ...[['string', 'null'], [], ['string', 'string'], ['date'], {}],
);

/** Random schemas: recursive, wild, and now and then huge. */
export const anySchema: fc.Arbitrary<unknown> = fc.letrec<{ node: unknown; schema: unknown }>((tie) => {
  const node = tie('node');
  const several = fc.oneof(
    { weight: 9, arbitrary: fc.array(node, { maxLength: 4 }) },
    {
      weight: 1,
      arbitrary: fc.tuple(node, fc.integer({ min: 10, max: 80 })).map(([one, n]) => Array(n).fill(one)),
    },
  );
  const properties = fc.oneof(
    { weight: 9, arbitrary: fc.dictionary(names, node, { maxKeys: 4 }) },
    {
      weight: 1,
      arbitrary: fc.tuple(node, fc.integer({ min: 10, max: 200 })).map(([one, n]) => wide(n, one)),
    },
  );
  const values = fc.oneof(
    { weight: 9, arbitrary: fc.array(fc.jsonValue(), { maxLength: 4 }) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 100, max: 5000 }).map((n) => Array.from({ length: n }, (_, i) => i)),
    },
  );
  const record = fc.record(
    {
      ...{ type: types, $ref: refs, properties, items: node, enum: values, const: fc.jsonValue() },
      ...{
        anyOf: several,
        oneOf: several,
        allOf: several,
        additionalProperties: fc.oneof(fc.boolean(), node),
      },
      ...{ required: fc.array(names), description: fc.string(), default: fc.jsonValue() },
      ...{ pattern: fc.constant('^(a+)+$'), minimum: fc.integer(), format: fc.string() },
    },
    { requiredKeys: [] },
  );
  return {
    node: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.record({ $ref: refs }),
      record,
      fc.boolean(),
      fc.constant({}),
    ),
    schema: fc.tuple(record, node, node).map(([schema, a, b]) => ({ ...schema, $defs: { a, b } })),
  };
}).schema;

/** Random programs that declare recursive types. */
export const anyTypes: fc.Arbitrary<string> = fc
  .array(typeText(), { minLength: 2, maxLength: 4 })
  .map((texts) => texts.map((text, i) => `type ${i === 0 ? 'A' : `A${i}`} = ${text};`).join('\n'))
  .filter((text) => text.length < 20_000);

function typeText(): fc.Arbitrary<string> {
  return fc.letrec<{ type: string }>((tie) => {
    const type = tie('type');
    const many = fc.tuple(type, fc.integer({ min: 1, max: 12 }));
    return {
      type: fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        fc.constantFrom('A', 'A1', 'A2', 'string', 'number', 'null', 'undefined', "'x'", 'Missing'),
        many.map(([one, n]) => `(${Array(n).fill(one).join(' |\n')})`),
        many.map(([one, n]) => `{ ${Array.from({ length: n }, (_, i) => `p${i}: ${one}`).join(';\n')} }`),
        type.map((one) => `Array<${one}>`),
        type.map((one) => `Record<string, ${one}>`),
      ),
    };
  }).type;
}

function wide(count: number, schema: unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, schema]));
}
