/** Servers behind TLS: one whose certificate is not trusted is refused with a reason, and gets nothing. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createPlain } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serverOf } from '../support/daemon.ts';
import { Pml } from '../support/pml.ts';
import { RawSession, textOf } from '../support/raw-session.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const pemOf = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
const read = (name: string) => readFileSync(pemOf(name));
const SECRET = 'swordfish-4711';
/** Requests that arrived at each server, with their contents. */
const arrived = new Map<string, string[]>();
const servers: { close(): void }[] = [];
const headers = { 'x-api-key': SECRET };

after(() => {
  for (const server of servers) server.close();
});

function serve(name: string) {
  arrived.set(name, []);
  return async (request: IncomingMessage, response: ServerResponse) => {
    arrived.get(name)?.push(JSON.stringify(request.headers));
    if (name === 'moved') return void response.writeHead(307, { location: plainUrl }).end();
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const capabilities = { tools: {} };
    const results: Record<string, object> = {
      initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name, version: '1' } },
      'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'over TLS' }] },
    };
    const result = results[method];
    const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  };
}

async function urlOf(server: Server, scheme = 'https'): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

let plainUrl: string;
let config: { mcpServers: Record<string, object> };
before(async () => {
  plainUrl = await urlOf(createPlain(serve('plain')) as unknown as Server, 'http');
  const secure = (name: string, cert: string) =>
    urlOf(createServer({ key: read('server.key'), cert: read(cert) }, serve(name)));
  const urls = {
    good: await secure('good', 'server.pem'),
    self: await secure('self', 'self.pem'),
    expired: await secure('expired', 'expired.pem'),
    elsewhere: await secure('elsewhere', 'elsewhere.pem'),
    moved: await secure('moved', 'server.pem'),
  };
  const entries = Object.entries(urls).map(([name, url]) => [name, { type: 'http', url, headers }]);
  config = { mcpServers: Object.fromEntries(entries) };
});

/** The error of a call to each server, and the reason why it is down. */
async function answersOf(pml: Pml): Promise<Record<string, string>> {
  await onUsualEngine(pml);
  const session = await new RawSession(pml).initialize();
  await session.request('tools/list');
  const said = await Promise.all(
    Object.keys(config.mcpServers).map(async (name) => {
      const called = textOf(await session.call(`${name}:echo`));
      return [name, `${called} ${(await serverOf(pml, name)).problem ?? ''}`];
    }),
  );
  return Object.fromEntries(said);
}

test('a certificate of an unknown authority is refused with advice', async (t) => {
  const said = await answersOf(new Pml(t, config));
  for (const name of ['good', 'self']) {
    assert.match(said[name] ?? '', /its certificate is refused: .* vouches for it/, name);
    assert.match(said[name] ?? '', /NODE_EXTRA_CA_CERTS/, name);
  }
  for (const name of ['good', 'self', 'expired', 'elsewhere', 'moved'])
    assert.deepEqual(arrived.get(name), [], `${name} was told something`);
});

test('with NODE_EXTRA_CA_CERTS its servers are reached; expired, wrong-host and plain-HTTP ones are refused', async (t) => {
  const said = await answersOf(new Pml(t, config, { NODE_EXTRA_CA_CERTS: pemOf('ca.pem') }));
  assert.match(said.good ?? '', /^over TLS/);
  assert.match(said.self ?? '', /it is self-signed, so nobody else vouches for it/);
  assert.match(said.expired ?? '', /its certificate is refused: it has expired/);
  assert.match(said.elsewhere ?? '', /its certificate is refused: it is for another host/);
  assert.match(said.moved ?? '', /Redirect from https to plain http not followed/);
  for (const name of ['self', 'expired', 'elsewhere', 'plain'])
    assert.deepEqual(arrived.get(name), [], `${name} was told something`);
  assert.ok(JSON.stringify(arrived.get('good')).includes(SECRET));
});
