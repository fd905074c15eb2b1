import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { within } from '../../src/testing/wait.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { INITIALIZE } from '../support/raw-session.ts';
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
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

interface RequestParts {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Sends a request with node:http, because fetch lets a test neither choose the Host nor send half a body. */
function ask(path: string, { method = 'GET', headers = {}, body }: RequestParts = {}): Promise<Answer> {
  const answer = new Promise<Answer>((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
  return within(answer, 60_000, `the answer of ${path}`);
}

const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

function post(body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  return ask('/mcp', { method: 'POST', headers: { ...JSON_HEADERS, ...headers }, body });
}

/** Opens a session as an older client and returns its headers. */
async function openLegacy(): Promise<Record<string, string>> {
  const { headers } = await post(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE }),
  );
  const session = {
    'mcp-session-id': String(headers['mcp-session-id']),
    'mcp-protocol-version': '2025-11-25',
  };
  await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), session);
  return session;
}

function modernCall(name: string) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  };
  return { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name, arguments: {}, _meta: meta } };
}

function modernHeaders(name: string): Record<string, string> {
  return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
}

/** Returns the error of a refusal, which is JSON or an event of a stream. */
function errorOf({ body }: Answer): { code: number; message: string } {
  const json = /^data: (\{.*)$/m.exec(body)?.[1] ?? body;
  return JSON.parse(json).error;
}

const MALFORMED: [string, string, RegExp][] = [
  ['not JSON', 'hello there', /not valid JSON/],
  ['an empty body', '', /not valid JSON/],
  ['half an object', '{"jsonrpc":"2.0","id":1', /not valid JSON/],
  ['the wrong jsonrpc version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', /JSON-RPC/],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', /JSON-RPC/],
  ['no method', '{"jsonrpc":"2.0","id":1}', /JSON-RPC/],
  ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}', /JSON-RPC/],
  ['a bare word', '"ping"', /JSON-RPC/],
  ['null', 'null', /JSON-RPC/],
  ['an empty batch', '[]', /empty JSON-RPC batch/],
];

for (const when of ['before a handshake', 'in a session'] as const) {
  test(`each malformed body is refused with status 400 and its reason, ${when}`, async () => {
    const headers = when === 'in a session' ? await openLegacy() : {};
    for (const [what, body, words] of MALFORMED) {
      const answer = await post(body, headers);
      assert.equal(answer.status, 400, `${what}: ${answer.body}`);
      const { code, message } = errorOf(answer);
      assert.ok([-32700, -32600].includes(code), `${what}: ${code}`);
      assert.match(message, words, what);
    }
    await assertUnharmed(other);
  });
}

test('a batch is answered in a protocol version that has batches, and refused in others', async () => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const { status, body } = await post(JSON.stringify([ping(1), ping(2)]), await openLegacy());
  assert.equal(status, 200);
  assert.match(body, /"id":1/);
  assert.match(body, /"id":2/);
  const refused = await post(JSON.stringify([modernCall('good:echo')]), modernHeaders('good:echo'));
  assert.equal(refused.status, 400);
  assert.match(errorOf(refused).message, /batches may not contain requests/);
});

test('a modern request without its envelope is refused with what is missing', async () => {
  const { jsonrpc, id, method } = modernCall('good:echo');
  const body = JSON.stringify({ jsonrpc, id, method, params: { name: 'good:echo' } });
  const answer = await post(body, modernHeaders('good:echo'));
  assert.equal(answer.status, 400);
  assert.match(errorOf(answer).message, /missing the required .* _meta/);
});

test('an unknown method is refused', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/explode', params: {} });
  const answer = await post(body, await openLegacy());
  assert.equal(errorOf(answer).code, -32601);
  assert.match(errorOf(answer).message, /Method not found/);
});

test('a body over the limit is refused with status 413, announced or not', async () => {
  const body = Buffer.alloc(16 * 1024 * 1024 + 1, 'z');
  const encodings: Record<string, string>[] = [{}, { 'transfer-encoding': 'chunked' }];
  for (const headers of encodings) {
    const answer = await post(body, headers);
    assert.equal(answer.status, 413);
    assert.match(errorOf(answer).message, /Message too large: the limit is 16777216 bytes/);
    await assertUnharmed(other);
  }
});

test('a body of another type is refused with status 415', async () => {
  const answer = await post('{}', { 'content-type': 'text/plain' });
  assert.equal(answer.status, 415);
  assert.match(errorOf(answer).message, /Content-Type must be application\/json/);
});

test('an unknown session is refused with what to do', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/list' });
  const answer = await post(body, { 'mcp-session-id': 'long gone', 'mcp-protocol-version': '2025-11-25' });
  assert.equal(answer.status, 404);
  assert.match(errorOf(answer).message, /Session not found.*Initialize again/);
});

test('a connection that breaks in the middle of its body harms nobody', async () => {
  const broken = new Promise<void>((resolve) => {
    const sent = request(`${url}/mcp`, {
      method: 'POST',
      headers: { ...JSON_HEADERS, 'content-length': '1000' },
      agent: false,
    });
    sent.on('error', () => resolve());
    sent.write('{"jsonrpc":"2.0",', () => sent.destroy(new Error('gone')));
  });
  await broken;
  await assertUnharmed(other);
});

test('a client that ends its session during a call cancels the call', async () => {
  const session = await openLegacy();
  const call = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'good:hang' } };
  const left = post(JSON.stringify(call), session);
  await other.callTool({ name: 'good:await_hanging' });
  await ask('/mcp', { method: 'DELETE', headers: session });
  await within(
    other.callTool({ name: 'good:await_cancelled' }),
    PROMPTLY_MS,
    'the cancellation at the server',
  );
  await left;
});

test('a modern client that disconnects during a call cancels the call', async () => {
  const headers = { ...JSON_HEADERS, ...modernHeaders('good:hang') };
  const sent = request(`${url}/mcp`, { method: 'POST', headers, agent: false });
  sent.on('error', () => {});
  sent.end(JSON.stringify(modernCall('good:hang')));
  await other.callTool({ name: 'good:await_hanging', arguments: { count: 2 } });
  sent.destroy();
  const told = other.callTool({ name: 'good:await_cancelled', arguments: { count: 2 } });
  await within(told, PROMPTLY_MS, 'the cancellation at the server');
});

const PATHS = ['/mcp', '/', '/healthz', '/readyz', '/metrics', '/nothing'];

test('a wrong Host is refused on every path, by every method', async () => {
  for (const path of PATHS) {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'PUT']) {
      for (const host of [
        'evil.example',
        'evil.example:80',
        '127.0.0.1.evil.example',
        'localhost.evil.example',
      ]) {
        const { status, body } = await ask(path, { method, headers: { ...JSON_HEADERS, host } });
        assert.equal(status, 403, `${method} ${path} as ${host}: ${body}`);
        assert.match(body, /Host/, 'says that the Host header is the reason');
      }
    }
  }
});

test('a wrong Origin is refused on every path', async () => {
  for (const path of PATHS) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      for (const origin of ['https://evil.example', 'http://127.0.0.1.evil.example', 'null']) {
        const { status, body } = await ask(path, { method, headers: { ...JSON_HEADERS, origin } });
        assert.equal(status, 403, `${method} ${path} from ${origin}: ${body}`);
        assert.match(body, /Origin/, 'says that the Origin header is the reason');
      }
    }
  }
});

test('the names of this machine are accepted as Host and Origin', async () => {
  const { port } = new URL(url);
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
    const { status } = await ask('/healthz', { headers: { host, origin: `http://${host}` } });
    assert.equal(status, 200, host);
  }
  assert.equal((await ask('/readyz')).status, 200);
  assert.match((await ask('/metrics')).body, /pml_sessions \d/);
});
