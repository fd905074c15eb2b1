import { toClientSchema } from '../../../src/access/client-schemas.ts';
import { canonicalSchema, incompatibilities, printSignature } from '../../../src/code/index.ts';
import { callsWithArguments, inferParametersSchema, type Program, parse } from '../../../src/code/testing.ts';
import { PmlError } from '../../../src/errors.ts';
import { argumentsFor } from '../../../src/execute/arguments/validate-arguments.ts';
import type { JsonSchema } from '../../../src/json.ts';
import type { Callable } from '../../../src/registry/index.ts';

/** One who reads foreign schemas, and how large what it makes of one may be, in bytes of JSON. */
export interface Reader {
  name: string;
  read(schema: JsonSchema): unknown;
  largest: number;
}

const KB = 1024;
const ONE = parse('return await mcp.s.t({ a: args.a, p0: args.b, p1: [args.c ?? 5], p2: { p1: args.d } })');
const MANY = parse(
  Array.from(
    { length: 300 },
    (_, i) => `await mcp.s.t({ a: args.a, p${i}: args.b${i} }); await mcp.s.t(args.x${i % 7})`,
  ).join('\n'),
);
const TEXT = `${'a'.repeat(50)}!`;
const PASSED: JsonSchema[] = [
  {},
  {
    type: 'object',
    properties: { a: { enum: Array.from({ length: 800 }, (_, i) => i) }, p0: { const: [1, {}] } },
  },
];
let calls = 0;

/** Returns what a capability with these parameters says to arguments: only faults that its caller can mend. */
export function argumentsOf(parametersSchema: JsonSchema, args: object): unknown {
  // Each has a validator of its own.
  const capability = { fqdn: `a.b.c.d.${calls++}`, version: 1, name: 'c', parametersSchema };
  try {
    return argumentsFor(capability as unknown as Callable, args) && 'taken';
  } catch (error) {
    if (error instanceof PmlError && error.code === 'invalid_arguments') return [error.message, error.hint];
    throw error;
  }
}

function inferred(program: Program, schema: JsonSchema): JsonSchema {
  return inferParametersSchema(program, { toolSchema: () => schema });
}

/** Every reader, of the schema as it came and of what the readers before it leave of it. */
export const READERS: readonly Reader[] = [
  { name: 'toClientSchema', read: toClientSchema, largest: 256 * KB },
  { name: 'canonicalSchema', read: canonicalSchema, largest: 100_000 },
  {
    name: 'printSignature',
    read: (schema) => printSignature('s:t', schema, { returns: schema }),
    largest: 1000,
  },
  { name: 'inferParametersSchema', read: (schema) => inferred(ONE, schema), largest: 66 * KB },
  { name: 'inferParametersSchema of many calls', read: (schema) => inferred(MANY, schema), largest: 66 * KB },
  { name: 'callsWithArguments', read: (schema) => callsWithArguments(MANY, schema), largest: 4000 * 600 },
  {
    name: 'argumentsFor',
    read: (schema) => argumentsOf(schema, { a: TEXT, b: [1], p0: {} }),
    largest: 4 * KB,
  },
  {
    name: 'argumentsFor what was inferred',
    read: (schema) => argumentsOf(inferred(ONE, schema), { a: TEXT, b: 7 }),
    largest: 4 * KB,
  },
  ...PASSED.flatMap((passed, i) => [
    {
      name: `incompatibilities after, ${i}`,
      read: (schema: JsonSchema) =>
        incompatibilities(canonicalSchema(schema), canonicalSchema(toClientSchema(schema)), passed),
      largest: KB,
    },
    {
      name: `incompatibilities before, ${i}`,
      read: (schema: JsonSchema) =>
        incompatibilities(canonicalSchema(schema), { type: 'object', required: ['z'] }, passed),
      largest: KB,
    },
    {
      name: `incompatibilities passed, ${i}`,
      read: (schema: JsonSchema) =>
        incompatibilities(passed, canonicalSchema(schema), canonicalSchema(schema)),
      largest: KB,
    },
  ]),
];
