import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { within } from '../../src/testing/wait.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { INITIALIZE, RawSession, type Wire } from '../support/raw-session.ts';
import { onUsualEngine } from '../support/usual-engine.ts';
import { assertUnharmed, PROMPTLY_MS } from './bystander.ts';

const pml = new Pml({ after }, { mcpServers: { good: fixtureServer('hostile-stdio.ts') } });
let url: string;
let other: Client;
before(async () => {
  await onUsualEngine(pml);
  ({ url } = await pml.up());
  other = await pml.http(url);
});

interface Answer {
  status: number;
  type: string;
  body: string;
}

type Headers = Record<string, string>;

/** A chunked body goes to the SDK, one of a known length is answered directly. */
type Way = 'sdk' | 'direct';

function post(way: Way, body: string, headers: Headers): Promise<Answer> {
  const length: Headers =
    way === 'sdk' ? { 'transfer-encoding': 'chunked' } : { 'content-length': `${Buffer.byteLength(body)}` };
  const options = { method: 'POST', headers: { ...JSON_HEADERS, ...headers, ...length }, agent: false };
  const answer = new Promise<Answer>((resolve, reject) => {
    const sent = request(`${url}/mcp`, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      const type = response.headers['content-type'] ?? '';
      response.on('end', () => resolve({ status: response.statusCode ?? 0, type, body: text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
  return within(answer, 60_000, 'an answer');
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const STREAM_ONLY = { accept: 'text/event-stream' };
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
};

async function openSession(): Promise<Headers> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE });
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers: JSON_HEADERS, body });
  await response.text();
  const session = String(response.headers.get('mcp-session-id'));
  return { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
}

function modernHeaders(name: string): Headers {
  return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
}

function legacyCall(params: object, id: unknown = 7): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

function modernCall(params: object, id: unknown = 7): string {
  const { _meta, ...rest } = params as { _meta?: object };
  return legacyCall({ ...rest, _meta: { ...ENVELOPE, ..._meta } }, id);
}

/** Returns the messages of an answer as they were written, whether it is a body or a stream. */
function messagesIn({ type, body }: Answer): string[] {
  if (!type.startsWith('text/event-stream')) return [body];
  return body.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
}

const deep = JSON.parse(`${'['.repeat(1100)}${']'.repeat(1100)}`);
/** Parameters of calls: well-formed and not, of tools that answer, fail and do not exist. */
const CALLS: [string, object, id?: unknown][] = [
  ['a plain call', { name: 'good:echo', arguments: { text: 'hé\u2028llo' } }],
  ['a call by another name of the tool', { name: 'mcp__good__echo', arguments: { text: 'x' } }, 'text-id'],
  ['a call without arguments', { name: 'good:pid' }, 0],
  ['structured content that is no object', { name: 'good:bad_result', arguments: { result: STRUCTURED() } }],
  [
    'a result with _meta',
    { name: 'good:bad_result', arguments: { result: { content: [], _meta: { a: 1 } } } },
  ],
  ['progress', { name: 'good:progress', arguments: { times: 2, everyMs: 1 }, _meta: { progressToken: 'p' } }],
  ['a tool that does not exist', { name: 'good:nothing' }],
  ['a server that does not exist', { name: 'nobody:echo' }],
  ['an answer that is none', { name: 'good:no_result' }],
  ['arguments that are too deep', { name: 'good:echo', arguments: { text: deep } }],
  ['a tool of PML', { name: 'pml_whois', arguments: { name: 'nothing' } }],
  ['a name that is no text', { name: 5 }],
  ['no name', {}],
  ['a progress token that is a list', { name: 'good:echo', _meta: { progressToken: [] } }],
  ['_meta that is a text', { name: 'good:echo', _meta: 'x' }],
  ['an id that is a fraction', { name: 'good:echo' }, 1.5],
  ['an id that is null', { name: 'good:echo' }, null],
  ['a state that PML never gave out', { name: 'good:echo', requestState: 'pml:x', inputResponses: {} }],
];

function STRUCTURED(): object {
  return { content: [], structuredContent: [1, 2] };
}

test('an older client gets the same messages from the SDK and directly', async () => {
  const session = await openSession();
  for (const [what, params, id] of CALLS) {
    const [sdk, direct] = await bothWays(legacyCall(params, id), session);
    assert.deepEqual(messagesIn(direct), messagesIn(sdk), what);
    assert.equal(direct.status, sdk.status, what);
  }
});

test('a modern client gets the same answers from the SDK and directly, byte for byte', async () => {
  for (const [what, params, id] of CALLS) {
    const { name } = params as { name?: unknown };
    const headers = modernHeaders(String(name ?? ''));
    assert.deepEqual(...(await bothWays(modernCall(params, id), headers)), what);
  }
});

const HEADERS: [string, Headers][] = [
  ['another name', { 'mcp-name': 'good:pid' }],
  ['another method', { 'mcp-method': 'tools/list' }],
  ['another version', { 'mcp-protocol-version': '2025-11-25' }],
  ['a version that nobody speaks', { 'mcp-protocol-version': '2031-01-01' }],
  ['an encoded name', { 'mcp-name': `=?base64?${Buffer.from('good:echo').toString('base64')}?=` }],
  ['a wrong Host', { host: 'evil.example' }],
  ['a wrong Origin', { origin: 'https://evil.example' }],
  ['an Origin of this machine', { origin: 'http://localhost:3000' }],
  ['another content type', { 'content-type': 'text/plain' }],
  ['a content type with a charset', { 'content-type': 'application/json; charset=utf-8' }],
  ['a session that is not known', { 'mcp-session-id': 'long gone' }],
];

test('headers are checked alike, in both eras', async () => {
  const session = await openSession();
  const params = { name: 'good:echo', arguments: { text: 'x' } };
  for (const [what, headers] of HEADERS) {
    const modern = await bothWays(modernCall(params), { ...modernHeaders('good:echo'), ...headers });
    assert.deepEqual(...modern, `${what}, modern`);
    const [sdk, direct] = await bothWays(legacyCall(params), { ...session, ...headers });
    assert.deepEqual(messagesIn(direct), messagesIn(sdk), `${what}, legacy`);
    assert.equal(direct.status, sdk.status, `${what}, legacy`);
  }
  const [sdk, direct] = await bothWays(legacyCall(params), { 'mcp-protocol-version': '2025-11-25' });
  assert.deepEqual(direct, sdk, 'no session');
});

async function bothWays(body: string, headers: Headers): Promise<[Answer, Answer]> {
  return [await post('sdk', body, headers), await post('direct', body, headers)];
}

for (const era of ['legacy', 'modern'] as const) {
  test(`a ${era} client on stdio gets the same messages from the SDK and directly`, async () => {
    const session = new RawSession(pml);
    if (era === 'legacy') await session.initialize();
    // The first request settles the era.
    const envelope = era === 'modern' ? { _meta: ENVELOPE } : {};
    await session.request('tools/list', envelope);
    for (const [what, params, id = 'some'] of CALLS) {
      if (typeof id === 'number' && !Number.isInteger(id)) continue;
      // Input for a call that has asked for none changes nothing, but makes the call a rare one.
      const sent = (more: object) => {
        const body = { ...params, ...more };
        return era === 'modern' ? modernCall(body, id) : legacyCall(body, id);
      };
      const [sdk, direct] = [
        await exchange(session, sent({ inputResponses: {} }), id),
        await exchange(session, sent({}), id),
      ];
      assert.deepEqual(direct, sdk, what);
    }
  });
}

/** Sends a line and returns all messages up to its answer, as they were written. */
async function exchange(session: RawSession, line: string, id: unknown): Promise<string[]> {
  session.write(`${line}\n`);
  const messages: Wire[] = [];
  do messages.push(await session.receive(() => true));
  while (messages.at(-1)?.method !== undefined || messages.at(-1)?.id !== id);
  return messages.map((message) => JSON.stringify(message));
}

test('a cancelled call on stdio is cancelled at the server and gets no answer', async () => {
  const session = await new RawSession(pml).initialize();
  await session.request('tools/list');
  const id = session.begin('tools/call', { name: 'good:hang' });
  await other.callTool({ name: 'good:await_hanging' });
  session.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
  await within(
    other.callTool({ name: 'good:await_cancelled' }),
    PROMPTLY_MS,
    'the cancellation at the server',
  );
  await session.call('good:echo', { text: 'x' });
  assert.deepEqual(session.messages, []);
});

test('an answer is one JSON body, and a stream if something comes before it or nothing else is accepted', async () => {
  const session = await openSession();
  const plain = { name: 'good:echo', arguments: { text: 'x' } };
  const chatty = { name: 'good:progress', arguments: { times: 1, everyMs: 1 }, _meta: { progressToken: 1 } };
  const types = async (headers: Headers) => [
    (await post('direct', legacyCall(plain), { ...session, ...headers })).type,
    (await post('direct', modernCall(plain), { ...modernHeaders('good:echo'), ...headers })).type,
  ];
  assert.deepEqual(await types({}), ['application/json', 'application/json']);
  assert.deepEqual(await types(STREAM_ONLY), ['text/event-stream', 'text/event-stream']);
  const streamed = await post('direct', legacyCall(chatty), session);
  assert.equal(streamed.type, 'text/event-stream');
  assert.match(
    streamed.body,
    /^event: message\ndata: .*"progress":1.*\n\nevent: message\ndata: .*at last.*\n\n$/,
  );
  assert.match(
    (await post('direct', modernCall(chatty), modernHeaders('good:progress'))).body,
    /"progress":1/,
  );
});

test('a cancelled call of an older client ends its response without an answer', async () => {
  const session = await openSession();
  const call = post('direct', legacyCall({ name: 'good:hang' }, 'to cancel'), session);
  await other.callTool({ name: 'good:await_hanging', arguments: { count: 2 } });
  const params = { requestId: 'to cancel' };
  await post(
    'direct',
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }),
    session,
  );
  const told = other.callTool({ name: 'good:await_cancelled', arguments: { count: 2 } });
  await within(told, PROMPTLY_MS, 'the cancellation at the server');
  assert.deepEqual(await call, { status: 200, type: 'text/event-stream', body: '' });
});

test('pipelined calls are answered in order', async () => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(rawCall('good:slow', { ms: 100 }, 1) + rawCall('good:echo', { text: 'x' }, 2));
  const text = await readUntil(socket, /"id":2/);
  assert.ok(text.indexOf('"id":1') < text.indexOf('"id":2'), text);
  socket.destroy();
});

test('a client that closes its half of the connection cancels its call', async () => {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.write(rawCall('good:hang', {}, 1));
  await other.callTool({ name: 'good:await_hanging', arguments: { count: 3 } });
  socket.end();
  const told = other.callTool({ name: 'good:await_cancelled', arguments: { count: 3 } });
  await within(told, PROMPTLY_MS, 'the cancellation at the server');
  socket.destroy();
  await assertUnharmed(other);
});

test('a body that stops half way is given up with its connection', async () => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(rawCall('good:echo', { text: 'x' }, 1).slice(0, -5));
  await new Promise<void>((resolve) => socket.end(resolve));
  await assertUnharmed(other);
});

test('calls with one id at once are all answered', async () => {
  const session = await openSession();
  const call = legacyCall({ name: 'good:slow', arguments: { ms: 50 } }, 'same');
  const answers = await Promise.all([post('direct', call, session), post('direct', call, session)]);
  for (const answer of answers) assert.match(messagesIn(answer).join(), /slowly/);
});

function rawCall(name: string, args: object, id: number): string {
  const body = modernCall({ name, arguments: args }, id);
  const headers = { host: '127.0.0.1', ...JSON_HEADERS, ...modernHeaders(name) };
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) });
  return `POST /mcp HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${body}`;
}

function readUntil(socket: Socket, pattern: RegExp): Promise<string> {
  let text = '';
  const found = new Promise<string>((resolve, reject) => {
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (pattern.test(text)) resolve(text);
    });
    socket.once('close', () => reject(new Error(`closed after ${text}`)));
  });
  return within(found, 60_000, String(pattern));
}
