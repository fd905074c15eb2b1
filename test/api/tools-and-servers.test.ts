import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { after, before, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { logFileOf } from '../../src/log-lines.ts';
import { type ApiBed, openApiBed } from '../support/api-bed.ts';
import { type AgentClient, type Loose, rightsServer } from '../support/gateway-bed.ts';
import { fixtureServer } from '../support/pml.ts';

let api: ApiBed;
let client: AgentClient;

before(async () => {
  api = await openApiBed({
    mcpServers: {
      desk: rightsServer('desk', ['read', 'write', 'search_all']),
      shop: rightsServer('shop', ['buy']),
      odd: { ...fixtureServer('hostile-stdio.ts'), env: { TOKEN: 'sk-live-0123456789abcdef' } },
    },
    agents: { reader: { capabilities: { desk: { tools: ['read'] } } } },
  });
  client = await api.bed.connect();
});
after(() => api.close());

const named = (items: readonly Loose[], name: string) => items.find((item) => item.name === name);

test('one table has the tools of all servers, with their use', async () => {
  const code = 'return [await mcp.desk.read({ n: args.n }), await mcp.shop.buy({ n: args.n })]';
  await client.execute({ code, name: 'desk:stock', args: { n: 1 } });
  await client.call('desk:read', { n: 2 });
  const { items, total } = await api.read('/tools?limit=200');
  assert.equal(items.length, total);
  const read = named(items, 'desk:read');
  assert.deepEqual(
    [read.listed_name, read.calls, read.success_rate, read.used_by],
    ['mcp__desk__read', 2, 1, 1],
  );
  assert.equal(named(items, 'desk:search_all').success_rate, null);
  const [busiest] = (await api.read('/tools?sort=calls')).items;
  assert.equal(busiest.name, 'desk:read');
  const shop = await api.read('/tools?server=shop');
  assert.deepEqual(
    shop.items.map(({ tool }: Loose) => tool),
    ['buy'],
  );
  const [found] = (await api.read('/tools?q=buy')).items;
  assert.equal(found.name, 'shop:buy');
});

test('the pages of the table hold every tool once', async () => {
  const paged: string[] = [];
  for (let cursor: string | null = '0'; cursor !== null; ) {
    const { items, next }: Loose = await api.read(`/tools?limit=2&cursor=${cursor}`);
    paged.push(...items.map(({ name }: Loose) => name));
    cursor = next;
  }
  const { total } = await api.read('/tools');
  assert.equal(new Set(paged).size, total);
  assert.deepEqual(paged, paged.toSorted());
});

test('one tool has its schema, its callers and a trial', async () => {
  const tool = await api.read('/tools/desk/read');
  assert.match(tool.signature, /^mcp\.desk\.read\(/);
  assert.deepEqual(
    tool.used_by.map(({ name }: Loose) => name),
    ['desk:stock'],
  );
  assert.equal(
    tool.series.reduce((sum: number, { calls }: Loose) => sum + calls, 0),
    tool.calls,
  );
  const { ok, content } = await api.post('/tools/desk/read/call', { args: { n: 7 } });
  assert.ok(ok);
  assert.match(JSON.stringify(content), /desk/);
  const { status, body } = await api.get('/tools/desk/none');
  assert.deepEqual([status, body.error.code], [404, 'tool_not_found']);
});

test('a result of ten megabytes is shown in part', async () => {
  const big = await api.post('/tools/odd/echo/call', { args: { text: 'x'.repeat(3_000_000) } });
  assert.ok(big.truncated.bytes > 3_000_000);
  assert.ok(JSON.stringify(big).length < 300_000);
});

test('servers show how they are reached, without secrets', async () => {
  const { items } = await api.read('/servers');
  assert.deepEqual(
    items.map(({ name, state }: Loose) => [name, state]),
    [
      ['desk', 'ready'],
      ['shop', 'ready'],
      ['odd', 'ready'],
    ],
  );
  const desk = named(items, 'desk');
  assert.deepEqual([desk.transport, desk.tools, desk.protocol], ['stdio', 3, 'older']);
  assert.match(desk.address, /fixture-rights/);
  assert.ok(!JSON.stringify(items).includes('sk-live-0123456789abcdef'));
});

test('a restarted server is another process, and calls wait for it', async () => {
  const before = named((await api.read('/servers')).items, 'shop').pid;
  const [, { ok }] = await Promise.all([
    api.post('/servers/shop/restart'),
    api.post('/tools/shop/buy/call', { args: {} }),
  ]);
  assert.ok(ok);
  const { pid: now, state } = named((await api.read('/servers')).items, 'shop');
  assert.equal(state, 'ready');
  assert.notEqual(now, before);
  assert.equal((await api.send('POST', '/servers/none/restart')).status, 404);
});

test('the log of a server is its own lines alone', async () => {
  const file = logFileOf(api.bed.gateway.workspace.config.home);
  mkdirSync(dirname(file), { recursive: true });
  const line = (server: string, text: string) => `2026-01-01T00:00:00.000Z WARN  [${server}] ${text}\n`;
  writeFileSync(file, line('desk', 'one') + line('shop', 'two') + line('desk', '<b>three</b>'));
  const { lines } = await api.read('/servers/desk/log?lines=1');
  assert.deepEqual(lines, [{ at: '2026-01-01T00:00:00.000Z', level: 'warn', text: '[desk] <b>three</b>' }]);
  assert.equal((await api.get('/servers/none/log')).status, 404);
});

test('agents are explained as by the command line', async () => {
  const { items } = await api.read('/agents');
  assert.deepEqual(
    items.map(({ name, capabilities, ok }: Loose) => [name, capabilities, ok]),
    [['reader', ['desk'], true]],
  );
  const { capabilities, not_listed } = await api.read('/agents/reader');
  assert.deepEqual(capabilities[0].allowed, ['read']);
  assert.ok(not_listed.some(({ key }: Loose) => key === 'shop'));
  assert.equal((await api.get('/agents/none')).status, 404);
});

test('the graph joins capabilities, tools and servers, and says when it is cut', async () => {
  const { nodes, edges, truncated } = await api.read('/graph');
  const idOf = (name: string) => named(nodes, name).id;
  const has = (from: string, to: string) =>
    edges.some((edge: Loose) => edge.from === idOf(from) && edge.to === idOf(to));
  assert.ok(has('desk:stock', 'desk:read') && has('desk:stock', 'shop:buy') && has('shop:buy', 'shop'));
  assert.equal(truncated, false);
  assert.deepEqual(await api.read('/graph?limit=2'), { nodes: [], edges: [], truncated: true });
});

test('the types of the playground are TypeScript', async () => {
  const { text, tools } = await api.read('/types');
  assert.ok(tools.some(({ path }: Loose) => path === 'mcp.desk.read'));
  assert.match(text, /declare const mcp: \{\n {2}"desk": \{\n {4}"read"\(.*\): Promise<unknown>;/);
});

test('the API is described in valid OpenAPI, every address of it', async () => {
  const response = await fetch(`${api.url}/api/openapi.json`);
  const description = (await response.json()) as Loose;
  const { valid, errors } = await new Validator().validate(description);
  assert.ok(valid, JSON.stringify(errors));
  assert.equal(description.openapi, '3.1.0');
  assert.ok(description.paths['/tools/{server}/{tool}/call'].post.requestBody);
  const { parameters } = description.paths['/tools'].get;
  assert.deepEqual(named(parameters, 'sort').schema.enum, ['name', 'calls', 'errors', 'p95']);
});
