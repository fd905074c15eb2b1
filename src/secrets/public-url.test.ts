import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicUrl, secretUrlParts } from './index.ts';

/** An address, the values in it that came from variables, and the address that everyone may see. */
// biome-ignore format: a table
const ADDRESSES: [address: string, known: string[], shown: string][] = [
  ['https://example.com/mcp', [], 'https://example.com/mcp'],
  ['https://user:pass@example.com/mcp?key=abc#x', [], 'https://example.com/mcp'],
  ['http://127.0.0.1:3000/api/v1/mcp-server-2/sse', [], 'http://127.0.0.1:3000/api/v1/mcp-server-2/sse'],
  ['https://x.example/modelcontextprotocol/v1beta1/2025-06-18', [], 'https://x.example/modelcontextprotocol/v1beta1/2025-06-18'],
  ['https://x.example/s/9cfb482a-81e3-4154-b5b9-2c805e70a02d/mcp', [], 'https://x.example/s/[hidden]/mcp'],
  ['https://x.example/s/OTk3YzJmNDAtZjM0YS00/mcp', [], 'https://x.example/s/[hidden]/mcp'],
  ['https://x.example/s/aGVsbG9Xb3JsZEhlbGxvV29ybGQ/mcp', [], 'https://x.example/s/[hidden]/mcp'],
  ['https://x.example/s/my-token/mcp', ['my-token'], 'https://x.example/s/[hidden]/mcp'],
  ['https://x.example/team/a/b/mcp', ['team/a/b'], 'https://x.example/[hidden]/mcp'],
  ['https://tenant7.x.example/mcp', ['tenant7'], 'https://[hidden].x.example/mcp'],
  ['https://x.example/a%20b%20c/mcp', ['a b c'], 'https://x.example/[hidden]/mcp'],
  ['not an address', [], '[hidden]'],
];

test('a public address has origin and path without their secrets', () => {
  for (const [address, known, shown] of ADDRESSES) assert.equal(publicUrl(address, known), shown);
});

test('a lone user and random path parts are secret', () => {
  assert.deepEqual(secretUrlParts('https://abcdefgh1@x.example/s/9cfb482a-81e3/mcp'), [
    'abcdefgh1',
    '9cfb482a-81e3',
  ]);
  assert.deepEqual(secretUrlParts('https://ana:pw@x.example/mcp'), []);
});
