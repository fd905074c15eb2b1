/** Sessions that are begun and not finished leave no session and no process behind, and do not keep new clients out. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { socketPathOf } from '../../src/daemon/socket-path.js';
import { PROTOCOL_VERSION } from '../../src/daemon/socket-protocol.js';
import { eventually, processesOf } from '../../src/testing/wait.ts';
import { VERSION } from '../../src/version.ts';
import { statusOf } from '../support/daemon.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { INITIALIZE, RawSession, textOf } from '../support/raw-session.ts';
import { upReady } from '../support/servers-ready.ts';

const pml = new Pml(
  { after },
  {
    mcpServers: {
      good: fixtureServer('hostile-stdio.ts'),
      own: { ...fixtureServer('hostile-stdio.ts'), pml: { perSession: true } },
    },
  },
);
const plain = { mcpServers: { good: fixtureServer('hostile-stdio.ts') } };
let url: string;
let sharedUrl: string;
let innocent: Client;
before(async () => {
  url = await upReady(pml);
  // A thousand sessions would start a thousand perSession servers, so this config in the same daemon has none.
  const folder = pml.project('plain', plain);
  ({ url: sharedUrl } = await pml.up('--config', join(folder, 'pml.json')));
  innocent = await pml.http(url);
  await innocent.callTool({ name: 'own:pid' });
});

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const initialize = (params: unknown = INITIALIZE) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params,
});

interface RequestParts {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

function send(to: string, { method = 'POST', headers = {}, body }: RequestParts): Promise<Response> {
  return fetch(`${to}/mcp`, {
    method,
    headers: { ...JSON_HEADERS, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** Counts the sessions and processes. */
async function countAll(): Promise<{ sessions: number; processes: number }> {
  return { sessions: (await statusOf(pml)).sessions, processes: processesOf(pml.dir).length };
}

/** Asserts that an act leaves as many sessions and processes as there were, once it has ended. */
async function leavesNothing(act: () => Promise<unknown>): Promise<void> {
  const before = await countAll();
  await act();
  const isBack = async () => JSON.stringify(await countAll()) === JSON.stringify(before);
  await eventually(isBack, `back to ${JSON.stringify(before)}`, undefined, 100);
  const { content } = await innocent.callTool({ name: 'own:echo', arguments: { text: 'here' } });
  assert.deepEqual(content, [{ type: 'text', text: 'here' }]);
}

const REFUSED: Record<string, RequestParts> = {
  'that accepts no stream': { headers: { accept: 'application/json' }, body: initialize() },
  'that accepts nothing': { headers: { accept: 'text/html' }, body: initialize() },
  'without params': { body: { jsonrpc: '2.0', id: 1, method: 'initialize' } },
  'with wrong params': { body: initialize({ protocolVersion: 7 }) },
  'without a client': { body: initialize({ protocolVersion: '2025-11-25', capabilities: {} }) },
  'that is a notification': { body: { jsonrpc: '2.0', method: 'initialize', params: INITIALIZE } },
  'twice in a batch': { body: [initialize(), initialize()] },
  'of another type': { headers: { 'content-type': 'text/plain' }, body: initialize() },
  'in half': { body: '{"jsonrpc":"2.0","id":1,"method":"initialize","par' },
  'of a session that is gone': { headers: { 'mcp-session-id': 'gone' }, body: initialize() },
  'by GET': { method: 'GET' },
  'by DELETE': { method: 'DELETE' },
  'by PUT': { method: 'PUT', body: initialize() },
};
for (const [what, sent] of Object.entries(REFUSED)) {
  test(`an initialize ${what} is refused and leaves neither session nor process`, async () => {
    const starts = (await statusOf(pml)).sessions;
    await leavesNothing(async () => {
      for (let i = 0; i < 10; i++) {
        const response = await send(url, sent);
        assert.ok(response.status >= 400, `status ${response.status}`);
        await response.text();
        // Not even until idle sessions are swept.
        if (i === 9) assert.equal((await statusOf(pml)).sessions, starts);
      }
    });
  });
}

test('a body that breaks off leaves no session', async () => {
  await leavesNothing(async () => {
    for (let i = 0; i < 10; i++) {
      await new Promise<void>((resolve) => {
        const headers = { ...JSON_HEADERS, 'content-length': '500' };
        const sent = request(`${url}/mcp`, { method: 'POST', headers, agent: false });
        sent.on('error', () => resolve());
        sent.write('{"jsonrpc":"2.0","id":1,"method":"initialize",', () => sent.destroy(new Error('gone')));
      });
    }
  });
});

test('an unknown version is negotiated, and its session ends when it is deleted', async () => {
  await leavesNothing(async () => {
    const response = await send(url, { body: initialize({ ...INITIALIZE, protocolVersion: '1999-01-01' }) });
    assert.equal(response.status, 200);
    await response.text();
    const id = { 'mcp-session-id': String(response.headers.get('mcp-session-id')) };
    assert.equal((await send(url, { method: 'DELETE', headers: id })).status, 200);
    assert.equal((await send(url, { method: 'GET', headers: id })).status, 404);
  });
});

async function open(to: string): Promise<Record<string, string>> {
  const response = await send(to, { body: initialize() });
  assert.equal(response.status, 200, await response.text());
  await response.body?.cancel().catch(() => {});
  return { 'mcp-session-id': String(response.headers.get('mcp-session-id')) };
}

const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };

test('1,100 unused sessions replace each other, not those in use', async () => {
  const busy = await open(sharedUrl);
  const stream = await send(sharedUrl, { method: 'GET', headers: busy });
  const calling = await open(sharedUrl);
  const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'good:hang' } };
  const hanging = await send(sharedUrl, { headers: calling, body: call });
  const used = await open(sharedUrl);
  await (await send(sharedUrl, { headers: used, body: ping })).text();
  const started = performance.now();
  const first = await open(sharedUrl);
  for (let i = 0; i < 1100; i += 50) await Promise.all(Array.from({ length: 50 }, () => open(sharedUrl)));
  const { workspaces } = await statusOf(pml);
  const { sessions } = workspaces.find(({ config }) => config?.includes('plain')) ?? { sessions: 0 };
  assert.ok(sessions <= 1001, `the limit, and the session of all modern clients, not ${sessions}`);
  // The first ones are swept if the machine is so busy that the others take a minute.
  if (performance.now() - started < 60_000) assert.equal(sessions, 1001);
  const newcomer = await pml.http(sharedUrl);
  const { content } = await newcomer.callTool({ name: 'good:echo', arguments: { text: 'let in' } });
  assert.deepEqual(content, [{ type: 'text', text: 'let in' }]);
  for (const headers of [busy, calling, used])
    assert.equal((await send(sharedUrl, { headers, body: ping })).status, 200);
  const gone = await send(sharedUrl, { headers: first, body: ping });
  assert.equal(gone.status, 404);
  assert.match(await gone.text(), /Initialize again/);
  await Promise.all([stream.body?.cancel(), hanging.body?.cancel()]);
});

function connectSocket(): Promise<Socket> {
  const socket = createConnection(socketPathOf(pml.home));
  socket.on('error', () => {});
  pml.onClose(async () => socket.destroy());
  return new Promise((resolve) => socket.once('connect', () => resolve(socket)));
}

const handshake = () =>
  `${JSON.stringify({ dialect: PROTOCOL_VERSION, version: VERSION, kind: 'session', cwd: pml.dir, env: pml.env })}\n`;

test('wrong input on the socket instead of a handshake opens no session', async () => {
  await leavesNothing(async () => {
    const { sessions } = await countAll();
    const sockets = await Promise.all(Array.from({ length: 20 }, connectSocket));
    const inputs = ['', 'garbage\n', '{}\n', `${'x'.repeat(100_000)}\n`, '\0\0\0\n'];
    for (const [i, socket] of sockets.entries()) socket.write(inputs[i % inputs.length] as string);
    assert.equal((await countAll()).sessions, sessions);
    for (const socket of sockets) socket.destroy();
  });
});

test('a session on the socket that sends nothing, or garbage, ends with its connection', async () => {
  await leavesNothing(async () => {
    const { sessions } = await countAll();
    const [silent, garbling] = await Promise.all([connectSocket(), connectSocket()]);
    silent.write(handshake());
    garbling.write(`${handshake()}garbage\n{}\n[]\n`);
    garbling.resume();
    await eventually(async () => (await countAll()).sessions >= sessions + 2, 'both are open');
    silent.end();
    garbling.destroy();
  });
});

test('a client that closes its side and reads no more loses its session', async () => {
  await leavesNothing(async () => {
    const socket = await connectSocket();
    const big = { name: 'good:big', arguments: { bytes: 4_000_000 } };
    const calls = Array.from({ length: 5 }, (_, i) =>
      JSON.stringify({ jsonrpc: '2.0', id: i, method: 'tools/call', params: big }),
    );
    socket.pause();
    socket.write(`${handshake()}${JSON.stringify(initialize())}\n${calls.join('\n')}\n`);
    await innocent.callTool({ name: 'good:echo', arguments: { text: 'meanwhile' } });
    socket.end();
  });
});

test('requests sent in one chunk are all answered, each in its own session', async () => {
  const session = await new RawSession(pml).initialize();
  const count = 200;
  const lines = Array.from({ length: count }, (_, id) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: `p${id}`,
      method: 'tools/call',
      params: { name: 'good:echo', arguments: { text: `${id}` } },
    }),
  );
  session.write(`${lines.join('\n')}\n`);
  for (let id = 0; id < count; id++) assert.equal(textOf(await session.answerTo(`p${id}`)), `${id}`);
});

test('cancellations, answers and progress under the ids of another session harm nobody', async () => {
  const victim = await new RawSession(pml).initialize();
  const attacker = await new RawSession(pml).initialize();
  const until = join(pml.dir, 'until-attacked');
  const hold = { name: 'good:hold', arguments: { until }, _meta: { progressToken: 7 } };
  victim.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: hold });
  await attacker.call('good:await_held', { until });
  for (const requestId of [7, '7', 1, 2, 3]) {
    attacker.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    attacker.send({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: requestId, progress: 1 },
    });
    attacker.send({ jsonrpc: '2.0', id: requestId, result: { content: [] } });
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } };
    const headers = { 'mcp-protocol-version': '2025-11-25' };
    await (await send(url, { headers, body: cancel })).text();
  }
  assert.equal(textOf(await attacker.call('good:echo', { text: 'all were read' })), 'all were read');
  writeFileSync(until, '');
  assert.equal(textOf(await victim.answerTo(7)), 'held');
  assert.equal(victim.messages.length, 0, JSON.stringify(victim.messages));
  assert.equal(textOf(await attacker.call('good:echo', { text: 'fine' })), 'fine');
});
