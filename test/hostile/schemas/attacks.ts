/** Schemas that a hostile server offers, or a stranger's bundle holds; each was made against one reader, and meets all. */
export const SCHEMAS: Record<string, unknown> = {
  'ten properties that are the whole': { type: 'object', properties: each(10, () => ({ $ref: '#' })) },
  'twenty properties that are the whole': { type: 'object', properties: each(20, () => ({ $ref: '#' })) },
  'an allOf of itself, fifty times': {
    type: 'object',
    allOf: list(50, () => ({ $ref: '#/$defs/a' })),
    $defs: { a: allOfItself() },
  },
  'an anyOf of itself, six times': {
    type: 'object',
    properties: { a: { $ref: '#/$defs/a' } },
    $defs: { a: { anyOf: list(6, () => ({ $ref: '#/$defs/a' })) } },
  },
  'fifty definitions that hold each other': {
    $ref: '#/$defs/d0',
    $defs: each(
      50,
      (i) => ({
        properties: each(20, (j) => ({ const: i * j })),
        allOf: list(50, (k) => ({ $ref: `#/$defs/d${k}` })),
      }),
      'd',
    ),
  },
  'choices of choices of nothing': {
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: each(
      9,
      (i) => (i === 8 ? { anyOf: [] } : { anyOf: list(50, () => ({ $ref: `#/$defs/d${i + 1}` })) }),
      'd',
    ),
  },
  'objects of objects': {
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: each(
      9,
      (i) => ({ type: 'object', properties: each(100, () => ({ $ref: `#/$defs/d${i + 1}` })) }),
      'd',
    ),
  },
  'ten thousand properties': {
    type: 'object',
    properties: each(10_000, (i) => ({ type: 'string', description: `${i}` })),
    required: list(10_000, (i) => `p${i}`),
  },
  'a name longer than all else': {
    type: 'object',
    properties: each(2000, () => ({ $ref: '#/$defs/w' })),
    $defs: { w: { type: 'object', properties: { ['x'.repeat(70_000)]: {}, ...each(5000, () => ({})) } } },
  },
  'thousands of words': {
    type: 'object',
    properties: each(2000, () => ({ $ref: '#/$defs/w', description: 'x' })),
    $defs: { w: { type: 'object', ...each(8000, (i) => i, 'x-') } },
  },
  'thousands of requirements': {
    type: 'object',
    properties: each(1000, () => ({ $ref: '#/$defs/r' })),
    $defs: {
      r: {
        type: 'object',
        properties: each(2, () => ({ $ref: '#/$defs/r' })),
        required: list(10_000, (i) => `r${i}`),
      },
    },
  },
  '25,000 choices': { type: 'object', properties: { a: { enum: list(25_000, (i) => i) } } },
  'six megabytes of choices': { type: 'object', properties: { a: { enum: list(600_000, (i) => `v${i}`) } } },
  'choices that are objects': {
    type: 'object',
    properties: {
      a: { type: 'array', items: { enum: [...list(12_000, () => ({})), { z: 'y'.repeat(40_000) }] } },
    },
  },
  'a choice nested 100,000 deep': {
    type: 'object',
    properties: { a: { enum: [nested(100_000, 0, (inner) => [inner])] } },
  },
  'a schema nested 100,000 deep': nested(100_000, {}, (inner) => ({
    type: 'object',
    properties: { a: inner },
  })),
  patterns: {
    type: 'object',
    properties: each(3000, () => ({ type: 'string', pattern: '^(a+)+$' })),
    patternProperties: each(3000, () => ({}), '^(a+)+$'),
  },
  '100,000 types': { type: 'object', properties: { a: { type: list(100_000, () => 'string') } } },
  'a long pointer': { type: 'object', properties: each(20, () => ({ $ref: `#${'/a'.repeat(50_000)}` })) },
  'unknown types': {
    type: 'object',
    properties: { a: { type: 'any' }, p0: { type: 'int' }, p1: { type: ['string', 'date'] } },
  },
  'nothing as it should be': {
    type: 5,
    properties: [1],
    required: 'abc',
    enum: 7,
    items: [],
    anyOf: {},
    $ref: 9,
    description: {},
  },
  'nothing inside as it should be': {
    type: 'object',
    properties: {
      a: { type: ['string', 'string'], required: ['a', 'a', 1], properties: 'x', format: 8, minimum: 'low' },
      p0: { type: [], enum: [], anyOf: [null, 3, { enum: {} }] },
      p1: null,
      p2: false,
    },
    required: 5,
  },
};

/** Types that attack the reading of types. */
export const TYPES: Record<string, string> = {
  'a union of itself, eighty times': `type A = ${list(80, () => 'A').join('|')};`,
  'an object of 120 of itself': `type A = {${list(120, (i) => `p${i}: A`).join(';')}};`,
  'unions of unions': list(9, (i) => `type ${name(i)} = ${list(40, () => name(i + 1)).join('|')};`).join(
    '\n',
  ),
  'objects of objects': list(
    9,
    (i) => `type ${name(i)} = {${list(60, (j) => `p${j}: ${name(i + 1)}`).join(';')}};`,
  ).join('\n'),
  'a long literal, often': `type B = '${'x'.repeat(50_000)}'; type A = {${list(500, (i) => `p${i}: B`).join(';')}};`,
  nothing: 'type A = undefined | undefined;',
};

function name(index: number): string {
  return index === 0 ? 'A' : `A${index}`;
}

function allOfItself(): object {
  return { properties: { a: { type: 'string' } }, allOf: list(50, () => ({ $ref: '#/$defs/a' })) };
}

function list<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function each(count: number, make: (index: number) => unknown, prefix = 'p'): Record<string, unknown> {
  return Object.fromEntries(list(count, (index) => [`${prefix}${index}`, make(index)]));
}

function nested(depth: number, core: unknown, wrap: (inner: unknown) => unknown): unknown {
  let value = core;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}
