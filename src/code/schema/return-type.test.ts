import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonSchema } from '../../json.ts';
import { runs } from '../../testing/effort.ts';
import { inferOutput } from './infer-output.ts';
import { isTelling, limitOutput, sharedNames, withoutNames } from './limit-output.ts';
import { printReturnType } from './return-type.ts';
import { printSignature } from './signature.ts';

const issues = {
  total: 2,
  issues: [
    { id: 1, title: 'a', labels: ['x'], author: { login: 'ana', admin: false } },
    { id: 2, title: 'b', labels: [], author: null },
  ],
};

test('the type of a result is printed as deep as there is room', () => {
  const print = (room: number) => printReturnType(inferOutput(issues), room);
  assert.equal(
    print(200),
    '{ total: number; issues: { id: number; title: string; labels: string[]; author: { login: string; admin: boolean } | null }[] }',
  );
  assert.equal(
    print(110),
    '{ total: number; issues: { id: number; title: string; labels: string[]; author: object | null }[] }',
  );
  assert.equal(print(50), '{ total: number; issues: object[] }');
  assert.equal(print(20), '{ total: number; … }');
  assert.equal(print(4), undefined);
});

test('declared schemas are read too: references, choices, constants, maps', () => {
  const schema: JsonSchema = {
    type: 'object',
    $defs: {
      page: { type: 'object', properties: { next: { type: ['string', 'null'] } }, required: ['next'] },
    },
    properties: {
      page: { $ref: '#/$defs/page' },
      state: { enum: ['open', 'shut'] },
      either: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
      sizes: { type: 'object', additionalProperties: { type: 'number' } },
      odd: { $ref: '#/$defs/none' },
    },
    required: ['state'],
  };
  assert.equal(
    printReturnType(schema, 200),
    '{ state: "open" | "shut"; page?: { next: string | null }; either?: number | string; sizes?: Record<string, number>; odd?: unknown }',
  );
  assert.equal(printReturnType(schema, 60), '{ state: "open" | "shut"; page?: object; … }');
  assert.equal(printReturnType({}, 60), undefined);
  assert.equal(
    printReturnType({ type: 'array', items: { type: ['string', 'null'] } }, 60),
    '(string | null)[]',
  );
});

test('a signature names server and tool, and keeps both its limits', () => {
  const returns = inferOutput(issues);
  assert.equal(
    printSignature(
      'issue-tracker:list',
      { properties: { q: { type: 'string' } } },
      { returns, returnsLimit: 60 },
    ),
    'mcp["issue-tracker"].list(args?: { q?: string }): Promise<{ total: number; issues: object[] }>',
  );
  assert.equal(printSignature('fs:read-all', {}), 'mcp.fs["read-all"](): Promise<unknown>');
  assert.equal(printSignature('acme.web:fs:read', {}), 'mcp["acme.web:fs:read"](): Promise<unknown>');
});

test('whatever a result is, its type keeps to the room and holds no value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 200 }), (value, room) => {
      const schema = limitOutput(inferOutput(value), 2048);
      const text = printReturnType(schema, room);
      assert.ok(text === undefined || (text.length <= room && !text.includes('\n')), text);
    }),
    runs(300),
  );
  assert.doesNotMatch(printReturnType(inferOutput({ a: 'secret', b: [true] }), 100) ?? '', /secret|true/);
});

test('a large schema is cut, and names can be left out', () => {
  const deep = (levels: number): unknown =>
    levels === 0 ? 1 : { [`level${levels}`]: deep(levels - 1), x: 'y' };
  const schema = inferOutput([deep(5)]);
  assert.deepEqual(limitOutput(schema, 4096), schema);
  const cut = limitOutput(schema, 150);
  assert.ok(JSON.stringify(cut).length <= 150 && /level5/.test(JSON.stringify(cut)), JSON.stringify(cut));
  assert.doesNotMatch(JSON.stringify(withoutNames(schema)), /level|"x"/);
  const some: JsonSchema = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    required: ['a'],
  };
  assert.deepEqual(sharedNames(some), {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
  });
});

test('a schema tells something if it says more than object or list', () => {
  const telling = [
    { type: 'string' },
    { type: 'array', items: { type: 'string' } },
    { properties: { a: {} } },
  ];
  for (const schema of telling) assert.ok(isTelling(schema as JsonSchema), JSON.stringify(schema));
  for (const schema of [{}, { type: 'object' }, { type: 'object', properties: {} }, { type: 'array' }])
    assert.ok(!isTelling(schema), JSON.stringify(schema));
});
