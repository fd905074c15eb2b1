import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema, ToolSchema } from '../../json.ts';
import { parse } from '../syntax/parse.ts';
import { generalise } from './generalise.ts';
import { inferParametersSchema } from './infer-parameters.ts';

const none: ToolSchema = () => undefined;

function schemaOf(source: string, toolSchema = none): JsonSchema {
  const { code, parameters } = generalise(parse(source), { toolSchema });
  return inferParametersSchema(parse(code), { parameters, toolSchema });
}

function declared(types: string): JsonSchema {
  return inferParametersSchema(parse(`${types} return args.a as A`), { toolSchema: () => undefined });
}

function size(value: unknown): number {
  return JSON.stringify(value).length;
}

const READ: JsonSchema = {
  type: 'object',
  required: ['path'],
  properties: {
    path: { type: 'string', description: 'Where the file is' },
    mode: { enum: ['text', 'binary'], description: 'How to read' },
    head: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
    edits: { type: 'array', items: { $ref: '#/$defs/Edit' } },
  },
  $defs: {
    Edit: {
      type: 'object',
      required: ['line'],
      properties: { line: { type: 'integer' }, why: { type: 'string' } },
    },
  },
};
const tools: ToolSchema = (name) => (name === 'fs:read' ? READ : undefined);

test('the schema combines what the tools and the literals tell', () => {
  assert.deepEqual(
    schemaOf('mcp.fs.read({ path: "a", mode: "text", head: 3, edits: [{ line: 1 }] })', tools),
    {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'path of fs:read: Where the file is', default: 'a' },
        mode: { enum: ['text', 'binary'], description: 'mode of fs:read: How to read', default: 'text' },
        head: { type: 'integer', minimum: 1, description: 'head of fs:read', default: 3 },
        edits: {
          description: 'edits of fs:read',
          type: 'array',
          items: {
            type: 'object',
            properties: { line: { type: 'integer' }, why: { type: 'string' } },
            required: ['line'],
          },
          default: [{ line: 1 }],
        },
      },
      additionalProperties: false,
    },
  );
});

test('without a tool schema, the literal tells the type', () => {
  assert.deepEqual(schemaOf('mcp.a.b({ n: 1, ok: true, paths: ["a", "b"], mixed: ["c", 2] })').properties, {
    n: { type: 'number', description: 'n of a:b', default: 1 },
    ok: { type: 'boolean', description: 'ok of a:b', default: true },
    paths: { type: 'array', items: { type: 'string' }, description: 'paths of a:b', default: ['a', 'b'] },
    mixed: { type: 'array', description: 'mixed of a:b', default: ['c', 2] },
  });
});

test('if the tool would refuse a default, the type is dropped and the default stays', () => {
  assert.deepEqual(schemaOf('mcp.fs.read({ mode: "other", head: "x" })', tools).properties, {
    mode: { type: 'string', description: 'mode of fs:read: How to read', default: 'other' },
    head: { type: 'string', description: 'head of fs:read', default: 'x' },
  });
});

test('a required parameter has an example instead of a default', () => {
  const write: ToolSchema = () => ({
    type: 'object',
    required: ['text'],
    properties: { text: { type: 'string', description: 'What to write' }, mode: { type: 'string' } },
  });
  const schema = schemaOf('mcp.fs.write({ text: "hello", mode: "w" })', write);
  assert.deepEqual(schema.required, ['text']);
  assert.deepEqual(schema.properties, {
    text: { type: 'string', description: 'text of fs:write: What to write', examples: ['hello'] },
    mode: { type: 'string', description: 'mode of fs:write', default: 'w' },
  });
});

test('no two parameters have the same description', () => {
  const { properties } = schemaOf(
    'mcp.fs.cd({ to: "a" }); mcp.fs.cd({ to: "b" }); mcp.fs.pick({ of: [x, 1, 2] }); return all.filter((r) => r.open === "yes" || r.open === "maybe")',
  );
  const told = Object.entries(properties ?? {}).map(([name, schema]) => [
    name,
    (schema as JsonSchema).description,
  ]);
  assert.deepEqual(Object.fromEntries(told), {
    yes_open: 'compared with open',
    maybe_open: 'compared with open (second)',
    first_to: 'to of fs:cd (first call)',
    second_to: 'to of fs:cd (second call)',
    first_of: 'of[] of fs:pick',
    second_of: 'of[] of fs:pick, second value',
  });
});

test('an argument of two tools takes what both take', () => {
  const of: Record<string, JsonSchema> = {
    'a:one': {
      properties: {
        unit: { enum: ['c', 'f', 'k'], description: 'The unit' },
        n: { type: 'number', minimum: 1 },
      },
    },
    'a:two': {
      properties: { unit: { type: 'string', enum: ['k', 'f'] }, n: { type: 'integer', maximum: 9 } },
    },
  };
  const source = 'mcp.a.one({ unit: args.u, n: args.n }); mcp.a.two({ unit: args.u, n: args.n })';
  assert.deepEqual(schemaOf(source, (name) => of[name]).properties, {
    u: { type: 'string', enum: ['f', 'k'], description: 'unit of a:one, unit of a:two: The unit' },
    n: { type: 'integer', minimum: 1, maximum: 9, description: 'n of a:one, n of a:two' },
  });
});

test("the code's own arguments are required, have a default, or are optional if tested", () => {
  const schema = schemaOf(
    `
    const { a, b = 2, c: { d } = {} } = args
    if (args.flag) return args.list?.length
    return mcp.fs.read({ path: args.file, head: args.head ?? 5, x: [a, b, d], y: args.n || 1, z: args.n })`,
    tools,
  );
  assert.deepEqual(schema.required, ['file', 'a']);
  assert.deepEqual(schema.properties, {
    a: { description: 'x[] of fs:read' },
    b: { type: 'number', default: 2 },
    c: { type: 'object', default: {} },
    flag: { description: 'switches a step of the code on or off' },
    list: {},
    file: { type: 'string', description: 'path of fs:read: Where the file is' },
    head: { type: 'integer', minimum: 1, description: 'head of fs:read', default: 5 },
    n: { description: 'y of fs:read, z of fs:read' },
  });
});

test('a default is given only if every use has it', () => {
  assert.deepEqual(schemaOf('return [args.a ?? 1, args.a ?? 1]').properties, {
    a: { type: 'number', default: 1 },
  });
  assert.deepEqual(schemaOf('if (args.a) f(); return args.a ?? 1').properties, {
    a: { description: 'switches a step of the code on or off' },
  });
  assert.deepEqual(schemaOf('return [args.a ?? 1, args.a ?? 2]'), {
    type: 'object',
    properties: { a: {} },
    additionalProperties: false,
  });
});

test('stated types count', () => {
  const schema = schemaOf(`
    interface Args { name: string; tags?: string[]; mode: 'a' | 'b'; by: Record<string, number>; none: string | null }
    const { name, tags, mode } = args as Args
    const n: number = args.n
    return [name, tags, mode, n, args.s as string]`);
  assert.deepEqual(schema.properties, {
    name: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    mode: { enum: ['a', 'b'] },
    n: { type: 'number' },
    s: { type: 'string' },
    by: { type: 'object', additionalProperties: { type: 'number' } },
    none: { type: ['string', 'null'] },
  });
  assert.deepEqual(schema.required, ['n', 'name', 'mode', 's', 'by', 'none']);
  assert.deepEqual(schemaOf('const { a }: { a: boolean } = args; return a').properties, {
    a: { type: 'boolean' },
  });
});

test('code without arguments takes none, code that passes `args` on takes any', () => {
  assert.deepEqual(schemaOf('return 1'), { type: 'object', properties: {}, additionalProperties: false });
  assert.deepEqual(schemaOf('return mcp.a.b({ ...args, x: args.x })'), {
    type: 'object',
    properties: { x: { description: 'x of a:b' } },
    required: ['x'],
  });
});

test('recursive types are expanded in part', () => {
  const names = Array.from({ length: 120 }, (_, i) => `p${i}: A`).join(';');
  assert.ok(size(declared(`type A = {${names}};`)) < 66_000);
  assert.deepEqual(declared(`type A = ${Array(80).fill('A').join('|')};`).properties, { a: {} });
  const list = declared('type A = { next?: A };');
  assert.ok(
    size(list) < 500 && JSON.stringify(list).includes('"next":{"type":"object","properties":{"next"'),
  );
});

test('a repeated type is listed once', () => {
  assert.deepEqual(declared('type A = string | string;').properties, { a: { type: 'string' } });
  assert.deepEqual(declared('type A = { x: number; x: number };').properties?.a, {
    ...{ type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
  });
  assert.deepEqual(declared('type A = undefined | undefined;').properties, { a: {} });
});

test('if not all parameters have room, additional ones are allowed', () => {
  const uses = Array.from({ length: 4000 }, (_, i) => `args.a_rather_long_name_${i}`);
  const schema = inferParametersSchema(parse(`return [${uses.join(',\n')}]`), {
    toolSchema: () => undefined,
  });
  assert.ok(size(schema) < 66_000);
  assert.equal(schema.additionalProperties, undefined);
});

test('keyof is no object, and nothing of a Partial is required', () => {
  const row = 'interface Row { name: string; size: number }';
  assert.deepEqual(declared(`${row} type A = keyof Row;`).properties, { a: {} });
  assert.deepEqual(declared('type A = readonly string[];').properties?.a, {
    type: 'array',
    items: { type: 'string' },
  });
  assert.deepEqual(declared(`${row} type A = Partial<Row>;`).properties?.a, {
    type: 'object',
    properties: { name: { type: 'string' }, size: { type: 'number' } },
  });
});
