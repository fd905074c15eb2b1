import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hono } from 'hono';
import { PmlError } from '../errors.ts';
import type { StreamableEndpoint } from '../gateway/index.ts';
import { openLog } from '../log.ts';
import { type AppOptions, createApp } from './app.ts';
import { WebFiles } from './web/web-files.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** The routes on an MCP endpoint that answers each request with its method and parsed body. */
function app(options: Partial<AppOptions> = {}) {
  const endpoint = {
    fetch: async ({ method }: Request, body: unknown) => Response.json({ method, body }),
  } as unknown as StreamableEndpoint;
  const routes = createApp({
    endpoint,
    agents: { has: (name) => name === 'analyst', of: () => endpoint },
    metrics: { text: async () => ({ type: 'text/plain', body: 'pml_sessions 1' }) } as AppOptions['metrics'],
    api: new Hono().get('/v1/fault', () => fail()),
    web: new WebFiles('/nowhere'),
    ready: async () => {},
    log: openLog({ level: 'silent' }),
    ...options,
  });
  return (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    routes.request(`http://localhost${path}`, {
      ...init,
      headers: { host: 'localhost:3737', ...init.headers },
    });
}

function fail(): never {
  throw new Error('secret internals');
}

test('a request for MCP reaches the endpoint with its body parsed', async () => {
  const post = { method: 'POST', headers: JSON_TYPE, body: '{"id":1}' };
  assert.deepEqual(await (await app()('/mcp', post)).json(), { method: 'POST', body: { id: 1 } });
  assert.deepEqual(await (await app()('/mcp')).json(), { method: 'GET' });
  assert.deepEqual(await (await app()('/mcp', { method: 'DELETE' })).json(), { method: 'DELETE' });
});

test('an agent has a path of its own, and one that does not exist has none', async () => {
  const post = { method: 'POST', headers: JSON_TYPE, body: '{"id":2}' };
  assert.deepEqual(await (await app()('/agents/analyst/mcp', post)).json(), {
    method: 'POST',
    body: { id: 2 },
  });
  const answers = ['/agents/nobody/mcp', '/agents/nobody/other', '/agents/__proto__/mcp'].map(
    async (path) => {
      const response = await app()(path, post);
      return [response.status, await response.text()];
    },
  );
  for (const answer of await Promise.all(answers)) assert.deepEqual(answer, [404, '404 Not Found']);
  const of = () => {
    throw new PmlError('config_invalid', 'Its capabilities cannot be had.');
  };
  const broken = await app({ agents: { has: () => true, of } })('/agents/analyst/mcp', post);
  assert.equal(broken.status, 500);
  assert.match(await broken.text(), /Its capabilities cannot be had/);
});

test('a body of another type, or that is not JSON, is refused', async () => {
  const text = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' };
  assert.equal((await app()('/mcp', text)).status, 415);
  const broken = await app()('/mcp', { method: 'POST', headers: JSON_TYPE, body: '{"id":' });
  assert.equal(broken.status, 400);
  assert.match(await broken.text(), /"code":-32700/);
});

test('a Host or an Origin that is not this machine is refused on every path', async () => {
  for (const path of [
    '/mcp',
    '/',
    '/healthz',
    '/readyz',
    '/metrics',
    '/nothing',
    '/api/v1/session',
    '/runs',
  ]) {
    assert.equal((await app()(path, { headers: { host: 'evil.example' } })).status, 403, path);
    assert.equal((await app()(path, { headers: { origin: 'https://evil.example' } })).status, 403, path);
  }
  for (const host of ['localhost:1', '127.0.0.1:1', '[::1]:1']) {
    const headers = { host, origin: `http://${host}` };
    assert.equal((await app()('/healthz', { headers })).status, 200, host);
  }
});

test('readyz gives the reason why PML is not ready, without secrets', async () => {
  assert.deepEqual(await (await app()('/readyz')).json(), { status: 'ready' });
  const ready = async () => {
    throw new Error('cannot reach postgres://ana:hunter2@db.example/pml');
  };
  const answer = await app({ ready })('/readyz');
  assert.equal(answer.status, 503);
  const text = await answer.text();
  assert.match(text, /not ready.*cannot reach/);
  assert.doesNotMatch(text, /hunter2/);
});

test('a dashboard that is not built says so; the metrics, and a path that is nothing', async () => {
  const page = await app()('/');
  assert.equal(page.status, 503);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  assert.match(await page.text(), /npm run web/);
  assert.equal(await (await app()('/metrics')).text(), 'pml_sessions 1');
  assert.equal((await app()('/nothing')).status, 404);
});

test('a fault of PML is answered without its details', async () => {
  const answer = await app()('/api/v1/fault');
  assert.equal(answer.status, 500);
  assert.deepEqual(await answer.json(), { error: 'PML failed at this request. Its log has the details.' });
});
