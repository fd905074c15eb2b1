import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ApiBed, openApiBed } from '../support/api-bed.ts';
import { type AgentClient, rightsServer } from '../support/gateway-bed.ts';

let api: ApiBed;
let client: AgentClient;

before(async () => {
  api = await openApiBed({ mcpServers: { desk: rightsServer('desk', ['read', 'write']) } });
  client = await api.bed.connect();
});
after(() => api.close());

test('a new home shows the steps to the first capability', async () => {
  const { first_steps, totals, series, servers } = await api.read('/overview');
  assert.deepEqual(first_steps, { has_servers: true, has_client: true, has_run: false });
  assert.equal(totals.calls, 0);
  assert.equal(totals.success_rate, null);
  assert.ok(series.length > 90 && series.length <= 120);
  assert.deepEqual(servers, [{ name: 'desk', state: 'ready', tools: 2 }]);
});

test('the figures are those of cap_stats, and say what memory saved', async () => {
  const code =
    'const a = await mcp.desk.read({ n: args.n }); const b = await mcp.desk.write({ n: args.n }); return [a, b];';
  await client.execute({ code, name: 'desk:both', args: { n: 1 } });
  for (let n = 0; n < 3; n += 1) await client.call('mcp__desk__both', { n });
  await client.execute({ code: 'await mcp.desk.read({ n: 1 }); throw new Error("no")' });
  const stats = (await client.call('cap_stats', { since: '24h' })).structuredContent;
  const { totals, capabilities, saved, series, first_steps } = await api.read('/overview');
  assert.deepEqual([totals.calls, totals.success_rate], [stats.calls, stats.success_rate]);
  assert.equal(capabilities.unnamed, stats.unnamed);
  assert.equal(capabilities.total, 1);
  assert.equal(capabilities.learned, 1);
  const calls = series.reduce((sum: number, point: { calls: number }) => sum + point.calls, 0);
  assert.equal(calls, totals.calls);
  // Three calls of the capability, each instead of two; the run that made it saved nothing.
  assert.deepEqual([saved.runs, saved.calls], [3, 3]);
  assert.ok(saved.tokens > 0);
  assert.match(saved.how, /first recorded run/);
  assert.equal(first_steps, undefined);
});

test('capabilities are listed, sorted, filtered, paged and found by intent', async () => {
  const code = (n: number) => `return (await mcp.desk.read({ n: args.n })).content + ${'!'.repeat(n).length}`;
  for (let n = 1; n <= 4; n += 1)
    await client.execute({ intent: `greet number ${n}`, code: code(n), name: `greet:v${n}`, args: { n } });
  const { items, total } = await api.read('/capabilities?sort=name');
  assert.equal(total, 5);
  assert.deepEqual(
    items.map(({ name }: { name: string }) => name),
    ['desk:both', 'greet:v1', 'greet:v2', 'greet:v3', 'greet:v4'],
  );
  for (const sort of ['usage', 'name', 'created', 'last_used', 'success'])
    for (const order of ['asc', 'desc']) {
      const query = `/capabilities?sort=${sort}&order=${order}`;
      const whole = (await api.read(query)).items.map(({ id }: { id: string }) => id);
      const paged: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await api.read(`${query}&limit=2${cursor ? `&cursor=${cursor}` : ''}`);
        paged.push(...page.items.map(({ id }: { id: string }) => id));
        cursor = page.next;
      }
      assert.deepEqual(paged, whole, query);
    }
  const named = await api.read('/capabilities?namespace=greet&limit=1');
  assert.deepEqual([named.total, named.items.length], [undefined, 1]);
  assert.deepEqual(await api.read('/capabilities/count?namespace=greet'), { total: 4 });
  const found = await api.read(`/capabilities?q=${encodeURIComponent('greet number 3')}`);
  assert.ok(found.items.some(({ name }: { name: string }) => name === 'greet:v3'));
  for (const bad of [
    '?sort=shoe',
    '?limit=0',
    '?limit=1000',
    '?cursor=x',
    '?state=odd',
    '?sort=name&cursor=W10',
  ])
    assert.equal((await api.get(`/capabilities${bad}`)).status, 400, bad);
});
