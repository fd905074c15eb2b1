import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DirectTarget, directCallOf, directTargetOf, type RequestHead } from './direct-request.ts';

const POST = {
  host: '127.0.0.1:4000',
  'content-type': 'application/json',
  'content-length': '100',
  accept: 'application/json, text/event-stream',
};

function head(headers: Record<string, string>, { method = 'POST', url = '/mcp' } = {}): RequestHead {
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
  return { method, url, rawHeaders: Object.entries(given).flat() };
}

const { host: _, ...withoutHost } = POST;

function target(headers: Record<string, string>): DirectTarget {
  return directTargetOf(head(headers)) as DirectTarget;
}

const HEADS: [string, RequestHead, agent: string | undefined | null][] = [
  ['a POST of JSON', head(POST), undefined],
  ['a charset', head({ ...POST, 'content-type': 'application/json; charset=utf-8' }), undefined],
  ['an Origin of this machine', head({ ...POST, origin: 'http://localhost:1' }), undefined],
  ['an agent', head(POST, { url: '/agents/clerk/mcp' }), 'clerk'],
  ['an encoded agent', head(POST, { url: '/agents/cl%65rk/mcp' }), null],
  ['another path', head(POST, { url: '/' }), null],
  ['a query', head(POST, { url: '/mcp?x' }), null],
  ['a whole address', head(POST, { url: 'http://127.0.0.1:4000/mcp' }), null],
  ['another method', head(POST, { method: 'DELETE' }), null],
  ['no Host', head({ ...POST, host: '' }), null],
  ['another Host', head({ ...POST, host: 'evil.example' }), null],
  ['a Host that only begins right', head({ ...POST, host: '127.0.0.1.evil.example' }), null],
  ['another Origin', head({ ...POST, origin: 'https://evil.example' }), null],
  ['another type', head({ ...POST, 'content-type': 'text/plain' }), null],
  ['no type', head({ ...POST, 'content-type': '' }), null],
  ['a chunked body', head({ ...POST, 'transfer-encoding': 'chunked' }), null],
  ['no length', head({ ...POST, 'content-length': '' }), null],
  ['no body', head({ ...POST, 'content-length': '0' }), null],
  ['the longest body', head({ ...POST, 'content-length': '16777216' }), undefined],
  ['a body that is too long', head({ ...POST, 'content-length': '16777217' }), null],
  ['two Hosts', head({ ...POST, Host: 'evil.example' }), null],
  ['two Hosts, the other first', head({ Host: 'evil.example', ...POST }), null],
  ['two types', head({ ...POST, 'Content-Type': 'text/plain' }), null],
  ['names in capitals', head({ ...withoutHost, HOST: POST.host }), undefined],
];

test('a head may be answered directly only if Hono would let it through', () => {
  for (const [what, given, agent] of HEADS) {
    const target = directTargetOf(given);
    assert.deepEqual(target?.agent, agent === null ? undefined : agent, what);
    assert.equal(target === undefined, agent === null, what);
  }
});

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
};
const LEGACY = { ...POST, 'mcp-session-id': 's', 'mcp-protocol-version': '2025-11-25' };
const MODERN = {
  ...POST,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'echo',
};
const PARAMS = { name: 'echo', arguments: { a: 1 } };

function call(params: object, more: object = {}): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...PARAMS, ...params }, ...more };
}

const modern = (params: object = {}, meta: object = {}) => call({ _meta: { ...META, ...meta }, ...params });

const CALLS: [string, Record<string, string>, unknown, 'legacy' | 'modern' | undefined][] = [
  ['a legacy call', LEGACY, call({}), 'legacy'],
  ['no version', { ...LEGACY, 'mcp-protocol-version': '' }, call({}), 'legacy'],
  ['an older version', { ...LEGACY, 'mcp-protocol-version': '2025-06-18' }, call({}), 'legacy'],
  ['an unknown version', { ...LEGACY, 'mcp-protocol-version': '1' }, call({}), undefined],
  ['the modern version', { ...LEGACY, 'mcp-protocol-version': '2026-07-28' }, call({}), undefined],
  ['no session', { ...LEGACY, 'mcp-session-id': '' }, call({}), undefined],
  ['no streams', { ...LEGACY, accept: 'application/json' }, call({}), undefined],
  ['a text as id', LEGACY, call({}, { id: 'one' }), 'legacy'],
  ['a fraction as id', LEGACY, call({}, { id: 1.5 }), undefined],
  ['null as id', LEGACY, call({}, { id: null }), undefined],
  ['an object as id', LEGACY, call({}, { id: {} }), undefined],
  ['no id', LEGACY, call({}, { id: undefined }), undefined],
  ['another jsonrpc', LEGACY, call({}, { jsonrpc: '1.0' }), undefined],
  ['a key that JSON-RPC does not know', LEGACY, call({}, { extra: 1 }), undefined],
  ['another method', LEGACY, call({}, { method: 'tools/list' }), undefined],
  ['params that are a list', LEGACY, call({}, { params: [1] }), undefined],
  ['a name that is a number', LEGACY, call({ name: 5 }), undefined],
  ['a batch', LEGACY, [call({})], undefined],
  ['null', LEGACY, null, undefined],
  ['a progress token', LEGACY, call({ _meta: { progressToken: 'p', own: 1 } }), 'legacy'],
  ['a progress token that is a list', LEGACY, call({ _meta: { progressToken: [] } }), undefined],
  ['_meta that is a list', LEGACY, call({ _meta: [] }), undefined],
  ['a task', LEGACY, call({ task: {} }), undefined],
  ['a related task', LEGACY, call({ _meta: { 'io.modelcontextprotocol/related-task': {} } }), undefined],
  ['a retry', LEGACY, call({ requestState: 's' }), undefined],
  ['part of an envelope', LEGACY, call({ _meta: { [Object.keys(META)[1] as string]: {} } }), undefined],
  ['a modern call', MODERN, modern(), 'modern'],
  ['a modern call again', MODERN, modern(), 'modern'],
  ['a progress token, modern', MODERN, modern({}, { progressToken: 2 }), 'modern'],
  ['a wrong token in a known envelope', MODERN, modern({}, { progressToken: {} }), undefined],
  ['another name in the header', { ...MODERN, 'mcp-name': 'other' }, modern(), undefined],
  ['no name in the header', { ...MODERN, 'mcp-name': '' }, modern(), undefined],
  ['a name that looks encoded', { ...MODERN, 'mcp-name': '=?a' }, modern({ name: '=?a' }), undefined],
  ['another method in the header', { ...MODERN, 'mcp-method': 'tools/list' }, modern(), undefined],
  ['no method in the header', { ...MODERN, 'mcp-method': '' }, modern(), undefined],
  ['another version in the header', { ...MODERN, 'mcp-protocol-version': '2025-11-25' }, modern(), undefined],
  ['a modern call without envelope', MODERN, call({}), undefined],
  ['capabilities that are a text', MODERN, modern({}, { [Object.keys(META)[1] as string]: 'x' }), undefined],
  ['a level that is none', MODERN, modern({}, { 'io.modelcontextprotocol/logLevel': 'loud' }), undefined],
  ['a retry, modern', MODERN, modern({ inputResponses: {} }), undefined],
];

test('only a plain and valid call, whose headers fit it, is answered directly', () => {
  for (const [what, headers, message, era] of CALLS)
    assert.equal(directCallOf(target(headers), message)?.call.era, era, what);
});

test('the envelope is taken out of the parameters, and the rest of _meta stays', () => {
  const { call: plain } = directCallOf(target(MODERN), modern()) ?? {};
  assert.deepEqual(plain?.params, PARAMS);
  const { call: more } = directCallOf(target(MODERN), modern({}, { progressToken: 2, own: 1 })) ?? {};
  assert.deepEqual(more?.params, { ...PARAMS, _meta: { progressToken: 2, own: 1 } });
});

test('an envelope too deep to be read is left to the SDK', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
  const message = modern({}, { [Object.keys(META)[1] as string]: deep });
  assert.equal(directCallOf(target(MODERN), message), undefined);
});
