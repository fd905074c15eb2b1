import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../../json.ts';
import { printSignature } from './signature.ts';

const schema: JsonSchema = {
  type: 'object',
  required: ['path'],
  properties: {
    limit: { type: 'integer', default: 10 },
    path: { type: 'string' },
    mode: { enum: ['a', 'b'] },
    'x-y': { type: ['string', 'null'] },
    tags: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
    where: { type: 'object', properties: { id: { type: 'boolean' } }, required: ['id'] },
    any: {},
  },
};

test('a signature is one line of TypeScript', () => {
  assert.equal(
    printSignature('fs:read', schema, { limit: 300 }),
    'mcp.fs.read(args: { path: string; limit?: number; mode?: "a" | "b"; "x-y"?: string | null; tags?: (string | number)[]; where?: { id: boolean }; any?: unknown }): Promise<unknown>',
  );
  assert.equal(printSignature('my-tool', { type: 'object' }), 'mcp["my-tool"](): Promise<unknown>');
  assert.equal(
    printSignature('a:b', { properties: { x: { type: 'string' } } }),
    'mcp.a.b(args?: { x?: string }): Promise<unknown>',
  );
  assert.equal(
    printSignature('a:b', {}, { returns: { type: 'array', items: { type: 'string' } } }),
    'mcp.a.b(): Promise<string[]>',
  );
});

test('a signature keeps its limit and drops required members last', () => {
  assert.equal(
    printSignature('fs:read', schema, { limit: 70 }),
    'mcp.fs.read(args: { path: string; limit?: number; … }): Promise<unknown>'.replace(
      '; limit?: number',
      '',
    ),
  );
  const wide = {
    properties: Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [`key${n}`, { enum: ['x'.repeat(500)] }]),
    ),
  };
  for (const limit of [40, 100, 240]) {
    const line = printSignature(`server:${'t'.repeat(300)}`, wide, { limit });
    assert.ok(line.length <= limit && !line.includes('\n'), line);
  }
});

test('only members that have room are printed, however many there are', () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`key${n}`, { type: 'string' }]));
  const line = printSignature('a:b', { type: 'object', properties: many, required: ['key99999'] });
  assert.match(line, /^mcp\.a\.b\(args: \{ key99999: string; key0\?: string; .*; … \}\): Promise<unknown>$/);
  const odd = { type: 'object', properties: { a: { enum: 5 }, b: { type: 'x\ny' } }, required: 7 } as unknown;
  assert.equal(
    printSignature('a:b', odd as JsonSchema),
    'mcp.a.b(args?: { a?: unknown; b?: unknown }): Promise<unknown>',
  );
});
