import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Client, type SdkHttpError } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { JsonObject } from '../../json.ts';
import { HttpLimits } from './http-limits.ts';
import { HttpTransport } from './http-transport.ts';

interface Call {
  id: number;
  tool: string;
  token: unknown;
  request: IncomingMessage;
  response: ServerResponse;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const STREAM_TYPE = { 'content-type': 'text/event-stream' };
const INFO = { capabilities: { tools: {} }, serverInfo: { name: 'shop', version: '1' } };
const CACHED = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

function result(id: number, text: string): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    result: { resultType: 'complete', content: [{ type: 'text', text }] },
  });
}

function event(message: string): string {
  return `event: message\ndata: ${message}\n\n`;
}

function notification(method: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

/** Starts a server that answers calls as told, and connects to it as PML does. */
async function connectTo(t: TestContext, era: 'legacy' | 'modern', answer: (call: Call) => void) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/call') {
      const call = { id, tool: params.name, token: params._meta?.progressToken, request, response };
      calls.push(call);
      return void answer(call);
    }
    const handshake: Record<string, object> =
      era === 'legacy'
        ? { initialize: { protocolVersion: '2025-11-25', ...INFO } }
        : { 'server/discover': { supportedVersions: ['2026-07-28'], ...INFO, ...CACHED } };
    const found = handshake[method];
    const reply = found ? { result: found } : { error: { code: -32601, message: 'Method not found' } };
    response.writeHead(found ? 200 : 400, {
      ...JSON_TYPE,
      ...(era === 'legacy' && { 'mcp-session-id': 's1' }),
    });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?team=a`);
  const limits = new HttpLimits();
  const transport = limits.applyTo(new HttpTransport(url, { Authorization: 'Bearer secret' }, limits));
  const client = new Client({ name: 'pml', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const notified: string[] = [];
  client.fallbackNotificationHandler = async ({ method }) => void notified.push(method);
  await client.connect(transport);
  t.after(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  const call = async (name: string, options: { signal?: AbortSignal; onprogress?: () => void } = {}) => {
    const request = { method: 'tools/call', params: { name, arguments: {} } };
    const { content } = (await client.request(request, z.unknown(), options)) as {
      content: { text: string }[];
    };
    return content[0]?.text;
  };
  return { server, calls, notified, call };
}

function answerJson({ id, tool, response }: Call): void {
  response.writeHead(200, JSON_TYPE).end(result(id, tool));
}

for (const era of ['legacy', 'modern'] as const) {
  test(`calls in turn share a connection and carry the headers of the ${era} era`, async (t) => {
    const { server, calls, call } = await connectTo(t, era, answerJson);
    let connections = 0;
    server.on('connection', () => connections++);
    for (let i = 0; i < 5; i++) assert.equal(await call(`tool_${i}`), `tool_${i}`);
    // undici rests a connection for a turn of the event loop after each response.
    assert.ok(connections <= 2, `${connections} connections`);
    const headers = calls.at(-1)?.request.headers as Record<string, string>;
    assert.equal(calls.at(-1)?.request.url, '/mcp?team=a');
    assert.equal(headers.authorization, 'Bearer secret');
    assert.equal(headers.accept, 'application/json, text/event-stream');
    assert.equal(headers['mcp-protocol-version'], era === 'legacy' ? '2025-11-25' : '2026-07-28');
    assert.equal(headers['mcp-session-id'], era === 'legacy' ? 's1' : undefined);
    assert.equal(headers['mcp-method'], era === 'legacy' ? undefined : 'tools/call');
    assert.equal(headers['mcp-name'], era === 'legacy' ? undefined : 'tool_4');
  });

  test(`a server that closes its connections between calls receives each call once (${era})`, async (t) => {
    const { calls, call } = await connectTo(t, era, (answered) => {
      answered.response.on('finish', () => answered.request.socket.destroySoon());
      answerJson(answered);
    });
    for (let i = 0; i < 20; i++) {
      const closed = calls.at(-1)?.request.socket;
      if (closed && !closed.closed) await once(closed, 'close');
      // The client reads the end of the connection in the turn between these.
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(await call(`tool_${i}`), `tool_${i}`);
    }
    assert.equal(calls.length, 20);
  });
}

test('a call that was sent is not sent again when its connection breaks', async (t) => {
  const { calls, call } = await connectTo(t, 'legacy', ({ tool, response, ...rest }) =>
    tool === 'break' ? response.socket?.resetAndDestroy() : answerJson({ tool, response, ...rest }),
  );
  await call('works');
  await assert.rejects(call('break'), /ECONNRESET|closed/);
  assert.deepEqual(
    calls.map(({ tool }) => tool),
    ['works', 'break'],
  );
  assert.equal(await call('next'), 'next');
});

test('a stream that consists of the answer is read, in whatever pieces it comes', async (t) => {
  const { call } = await connectTo(t, 'legacy', async ({ id, tool, response }) => {
    response.writeHead(200, STREAM_TYPE);
    const text = event(result(id, 'grün'));
    const pieces = tool === 'bytes' ? [...Buffer.from(text)].map((byte) => Buffer.of(byte)) : [text];
    for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve));
    response.end();
  });
  assert.equal(await call('whole'), 'grün');
  assert.equal(await call('bytes'), 'grün');
});

test('what comes before the answer and after it in a stream arrives, and the answer once', async (t) => {
  const { call, notified } = await connectTo(t, 'legacy', async ({ id, tool, token, response }) => {
    response.writeHead(200, STREAM_TYPE);
    const progress = notification('notifications/progress', { progressToken: token as number, progress: 1 });
    if (tool === 'before') response.write(event(progress));
    response.write(event(result(id, tool)));
    if (tool === 'after') {
      response.write(event(result(id, 'again')));
      response.write(event(notification('notifications/tools/list_changed', {})));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    response.end(event(notification('notifications/message', { level: 'info', data: tool })));
  });
  let progressed = 0;
  assert.equal(await call('before', { onprogress: () => progressed++ }), 'before');
  assert.equal(progressed, 1);
  assert.equal(await call('after'), 'after');
  const expected = ['notifications/message', 'notifications/tools/list_changed', 'notifications/message'];
  while (notified.length < expected.length) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(notified, expected);
});

test('a notification in the same chunk as the answer before it arrives', async (t) => {
  const { call, notified } = await connectTo(t, 'legacy', ({ id, tool, response }) => {
    const changed = notification('notifications/tools/list_changed', {});
    response.writeHead(200, STREAM_TYPE).end(event(result(id, tool)) + event(changed));
  });
  assert.equal(await call('together'), 'together');
  while (notified.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(notified, ['notifications/tools/list_changed']);
});

test('answers that are encoded, in a batch or behind a byte order mark are read as by fetch', async (t) => {
  const bodies: Record<string, (text: string) => [object, string | Buffer]> = {
    gzip: (text) => [{ 'content-encoding': 'gzip' }, gzipSync(text)],
    batch: (text) => [{}, `[${text}]`],
    mark: (text) => [{}, `\ufeff${text}`],
    spaced: (text) => [{}, ` \n${text}`],
    parameters: (text) => [{ 'content-type': 'Application/JSON; charset=utf-8' }, text],
  };
  const { call } = await connectTo(t, 'modern', ({ id, tool, response }) => {
    const [headers, body] = bodies[tool]?.(result(id, tool)) ?? [{}, ''];
    response.writeHead(200, { ...JSON_TYPE, ...headers }).end(body);
  });
  for (const kind of Object.keys(bodies)) assert.equal(await call(kind), kind);
});

test('a redirect within the origin is followed with the same headers', async (t) => {
  const { calls, call } = await connectTo(t, 'legacy', ({ request, response, ...rest }) => {
    if (request.url === '/moved') return answerJson({ request, response, ...rest });
    response.writeHead(307, { location: '/moved' }).end();
  });
  assert.equal(await call('moving'), 'moving');
  const [first, second] = calls.map(({ request }) => request.headers);
  assert.equal(second?.authorization, 'Bearer secret');
  assert.equal(second?.['mcp-session-id'], 's1');
  const names = Object.keys({ ...first, ...second });
  assert.deepEqual(
    names.filter((name) => name.startsWith('pml')),
    [],
  );
});

test('an error status reaches the caller with its number', async (t) => {
  const { call } = await connectTo(t, 'legacy', ({ tool, response }) => {
    response.writeHead(Number(tool), { 'content-type': 'text/plain' }).end('no');
  });
  for (const status of [401, 403, 404, 413, 503])
    await assert.rejects(call(String(status)), (error: SdkHttpError) => error.status === status);
  await assert.rejects(call('204'));
});

test('a cancelled call of 2026-07-28 closes its request', async (t) => {
  const cancel = new AbortController();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const { call } = await connectTo(t, 'modern', ({ response }) => {
    response.once('close', resolve);
    cancel.abort();
  });
  await assert.rejects(call('silent', { signal: cancel.signal }));
  await closed;
});

test('a cancelled call of 2026-07-28 closes its stream', async (t) => {
  const cancel = new AbortController();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const { call } = await connectTo(t, 'modern', ({ token, response }) => {
    response.once('close', resolve);
    response.writeHead(200, STREAM_TYPE);
    response.write(
      event(notification('notifications/progress', { progressToken: token as number, progress: 1 })),
    );
  });
  await assert.rejects(call('streams', { signal: cancel.signal, onprogress: () => cancel.abort() }));
  await closed;
});
