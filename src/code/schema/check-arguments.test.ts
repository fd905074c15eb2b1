import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import type { Json, JsonSchema } from '../../json.ts';
import { runs } from '../../testing/effort.ts';
import { parse } from '../syntax/parse.ts';
import { type LiteralCall, literalCalls } from './argument-schemas.ts';
import { argumentProblems, correctArguments, describeProblems } from './check-arguments.ts';

const FILE: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    head: { type: 'number' },
    mode: { enum: ['text', 'binary'] },
    tags: { type: 'array', items: { type: 'string' } },
    any: {},
  },
  required: ['path'],
};
const CLOSED: JsonSchema = { ...FILE, additionalProperties: false };

function callIn(code: string): LiteralCall | undefined {
  return literalCalls(parse(code))[0];
}

/** Returns what is said about the call in the code; undefined if the call may be right. */
function told(code: string, schema: JsonSchema): (string | undefined)[] | undefined {
  const call = callIn(code);
  if (!call) return undefined;
  const problems = argumentProblems(schema, call.passed);
  if (problems.length === 0 && call.positional === undefined) return undefined;
  return [describeProblems('read', schema, problems, call), correctArguments(schema, problems, call)];
}

const TAKES =
  'read takes { path: string; head?: number; mode?: "text" | "binary"; tags?: string[]; any?: unknown }';

const WRONG: [code: string, schema: JsonSchema, problem: string, corrected: string | undefined][] = [
  ['mcp.fs.read({ file: "a" })', FILE, 'you gave file', '{ path: "a" }'],
  ['mcp.fs.read({ filename: x, head: 3 })', FILE, 'you gave filename, head', '{ path: x, head: 3 }'],
  ['mcp.fs.read({})', FILE, 'you gave no arguments', '{ path: "<path>" }'],
  ['mcp.fs.read()', FILE, 'you gave no arguments', '{ path: "<path>" }'],
  ['mcp.fs.read("a")', FILE, 'you gave "a" instead of an object', '{ path: "a" }'],
  ['mcp.fs.read(["a"])', FILE, 'you gave ["a"] instead of an object', '{ path: ["a"] }'],
  ['mcp.fs.read("a", 3)', FILE, 'you gave "a", 3 instead of an object', '{ path: "a", head: 3 }'],
  ['mcp.fs.read({ path: undefined })', FILE, 'you gave no arguments', '{ path: "<path>" }'],
  ['mcp.fs.read({ path: "a", head: "many" })', FILE, 'head cannot be "many"', '{ path: "a", head: 1 }'],
  ['mcp.fs.read({ path: { a: 1 } })', FILE, 'path cannot be { a: 1 }', '{ path: "<text>" }'],
  ['mcp.fs.read({ path: "a", mode: "txt" })', FILE, 'mode cannot be "txt"', '{ path: "a", mode: "text" }'],
  ['mcp.fs.read({ path: "a", tags: "b" })', FILE, 'tags cannot be "b"', '{ path: "a", tags: ["b"] }'],
  ['mcp.fs.read({ path: "a", heads: 1 })', CLOSED, 'you gave path, heads', '{ path: "a", head: 1 }'],
  ['mcp.fs.read({ path: "a", wholly: "b" })', CLOSED, 'you gave path, wholly', undefined],
  ['mcp.fs.read({ path: "a", wholly: "b", heads: 1 })', CLOSED, 'you gave path, wholly, heads', undefined],
];

test('arguments that are certainly wrong are told, with the call that is right', () => {
  for (const [code, schema, problem, corrected] of WRONG) {
    assert.deepEqual(told(code, schema), [`${TAKES}; ${problem}`, corrected], code);
  }
});

test('the only argument is meant for the only parameter, if that takes it', () => {
  const file = { type: 'string', default: 'a' } as const;
  const schema: JsonSchema = { type: 'object', properties: { path: file }, additionalProperties: false };
  const corrected = (args: string) => told(`mcp.fs.read(${args})`, schema)?.[1];
  assert.equal(corrected('{ file: "b" }'), '{ path: "b" }');
  assert.equal(corrected('{ file: { a: 1 } }'), undefined);
  assert.equal(corrected('{ file: "b", other: "c" }'), undefined);
  assert.equal(corrected('{ path: "b", other: "c" }'), undefined);
});

const ODD: [schema: JsonSchema, code: string][] = [
  [FILE, 'mcp.fs.read({ path: "a" })'],
  [FILE, 'mcp.fs.read({ path: args.p, heads: 1 })'],
  [FILE, 'mcp.fs.read(input)'],
  [FILE, 'mcp.fs.read({ ...input })'],
  [FILE, 'mcp.fs.read({ [key]: 1 })'],
  [FILE, 'mcp.fs.read({ path: "a", head: "3" })'],
  [FILE, 'mcp.fs.read({ path: 7 })'],
  [FILE, 'mcp.fs.read({ path: "a", head: null, mode: "TEXT", tags: "[1]" })'],
  [FILE, 'mcp.fs.read({ path: x as string, head: x ? "a" : 1 })'],
  [CLOSED, 'mcp.fs.read({ path: "a", other: args.other })'],
  [{ ...CLOSED, patternProperties: { '^x': {} } }, 'mcp.fs.read({ path: "a", x1: 1 })'],
  [{ ...CLOSED, anyOf: [{ properties: { x: {} } }] }, 'mcp.fs.read({ path: "a", x: 1 })'],
  // A default makes an argument optional, whatever `required` says.
  [{ ...FILE, properties: { path: { type: 'string', default: '.' } } }, 'mcp.fs.read({})'],
  [{ ...FILE, properties: { path: { $ref: '#/$defs/path' } } }, 'mcp.fs.read({})'],
  [{ ...FILE, required: ['nowhere'] }, 'mcp.fs.read({})'],
  [{ ...FILE, properties: { path: { type: 'string', anyOf: [{}] } } }, 'mcp.fs.read({ path: [1] })'],
  [{ properties: { path: { type: 'file' } } } as JsonSchema, 'mcp.fs.read({ path: [1] })'],
  [{ type: 'array', items: {} }, 'mcp.fs.read({ path: 1 })'],
  [{ type: 'object', properties: 7, required: 'path' } as unknown as JsonSchema, 'mcp.fs.read({ path: 1 })'],
  [{}, 'mcp.fs.read({ path: 1 })'],
];

test('arguments that may be right are left to the server, and so is a schema that is odd', () => {
  for (const [schema, code] of ODD)
    assert.equal(told(code, schema), undefined, `${code} ${JSON.stringify(schema)}`);
});

const scalar = fc.constantFrom<JsonSchema>(
  ...(['string', 'number', 'integer', 'boolean'].map((type) => ({ type })) as JsonSchema[]),
  { type: ['string', 'number'] },
  { enum: ['a', 'b'] },
  { type: 'array', items: { type: 'string' } },
  { type: 'object', properties: {} },
  { anyOf: [{ type: 'string' }, { type: 'array' }] },
  { type: 'string', default: 'x' },
  {},
);
const schemas = fc
  .record({
    properties: fc.dictionary(fc.constantFrom('p', 'q', 'r'), scalar),
    required: fc.subarray(['p', 'q', 'r']),
    closed: fc.boolean(),
  })
  .map(({ properties, required, closed }): JsonSchema => {
    return { type: 'object', properties, required, ...(closed && { additionalProperties: false }) };
  });
const value = fc.oneof(
  fc.constantFrom<Json>('a', 'b', 'text', '3', '', 'true', '{}', '[]', 0, 1, 2.5, true, false, null),
  fc.constantFrom<Json>([], ['a'], {}, { a: 1 }),
);
const objects = fc.dictionary(fc.constantFrom('p', 'q', 'r', 's'), value);

test('whatever a server accepts, strictly or leniently, is never told to be wrong', () => {
  for (const options of [{}, { coerceTypes: true, useDefaults: true }] as const) {
    const ajv = new Ajv({ strict: false, ...options });
    fc.assert(
      fc.property(schemas, objects, (schema, args) => {
        const code = `mcp.fs.read(${JSON.stringify(args)})`;
        const call = callIn(code) as LiteralCall;
        if (ajv.validate(schema, structuredClone(args)))
          assert.deepEqual(argumentProblems(schema, call.passed), [], JSON.stringify({ schema, args }));
      }),
      runs(200),
    );
  }
});
