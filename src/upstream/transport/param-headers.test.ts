import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { paramHeaders } from './param-headers.ts';

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    plain: { type: 'string' },
    inner: { type: 'object', properties: { dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' } } },
  },
};

test('marked arguments are mirrored, others are not', () => {
  const headers = paramHeaders(schema, { region: 'eu-1', plain: 'x', inner: { dry: true } });
  assert.deepEqual(headers, { 'Mcp-Param-Region': 'eu-1', 'Mcp-Param-Dry-Run': 'true' });
});

test('absent and null arguments have no header', () => {
  assert.deepEqual(paramHeaders(schema, { region: null }), {});
  assert.deepEqual(paramHeaders(schema, undefined), {});
});

test('any text survives the header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (region) => {
      const value = paramHeaders(schema, { region })['Mcp-Param-Region'] as string;
      assert.match(value, /^[\t\x20-\x7e]+$/);
      const encoded = /^=\?base64\?(.*)\?=$/.exec(value);
      assert.equal(encoded ? Buffer.from(encoded[1] as string, 'base64').toString('utf8') : value, region);
    }),
  );
});
