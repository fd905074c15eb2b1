import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ApiBed, openApiBed } from '../support/api-bed.ts';
import { type AgentClient, type Loose, rightsServer } from '../support/gateway-bed.ts';

const MAX_BYTES = 1_000_000;
const CAPABILITIES = 70;

let api: ApiBed;
let client: AgentClient;

before(async () => {
  api = await openApiBed({ mcpServers: { desk: rightsServer('desk', ['read']) } });
  client = await api.bed.connect();
});
after(() => api.close());

/** Reads an answer that must not be too large. */
async function readBounded(path: string): Promise<Loose> {
  const body = await api.read(path);
  const bytes = Buffer.byteLength(JSON.stringify(body));
  assert.ok(bytes <= MAX_BYTES, `${path} has ${bytes} bytes`);
  return body;
}

test('a page of long items is shorter, and all of them are on some page', async () => {
  for (let n = 0; n < CAPABILITIES; n += 1)
    await client.execute({ code: `return args.n * ${n} + ${n};`, name: `many:n${n}`, args: { n: 1 } });
  const { db, journal } = api.bed.resources;
  // Counting the calls locks the records in another order than this update.
  await journal.flush();
  await db.query(
    `update capability_records set description = repeat('🦓', 4000),
       tags = array(select n || repeat('€', 62) from generate_series(10, 59) n)`,
  );
  for (const path of ['/capabilities?limit=200', '/capabilities?limit=200&q=many']) {
    const names: string[] = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages += 1) {
      const page: Loose = await readBounded(`${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      names.push(...page.items.map(({ name }: Loose) => name));
      cursor = page.next;
    }
    assert.ok(pages > 1);
    assert.deepEqual([names.length, new Set(names).size], [CAPABILITIES, CAPABILITIES], path);
  }
});

test('a capability with more about it than fits is shown in part', async () => {
  const { items } = await api.read('/capabilities?limit=1');
  const { db } = api.bed.resources;
  await db.query(
    `insert into capability_versions (capability_fqdn, version, pattern_id, updated_by, change_summary)
     select r.id, n, v.pattern_id, v.updated_by, repeat('€', 2000) from capability_versions v join capability_records r on r.id = v.capability_fqdn, generate_series(2, 400) n
     where r.uid = $1::uuid`,
    [items[0].id],
  );
  const one = await readBounded(`/capabilities/${items[0].id}`);
  assert.deepEqual([one.name, one.versions[0].version], [items[0].name, 400]);
  assert.ok(one.versions.length >= 100);
});

test('a run of 10,000 calls with long errors is read page by page', async () => {
  const { db } = api.bed.resources;
  const { run } = await api.post('/execute', { intent: 'much', code: 'return 1', remember: false });
  await api.read(`/runs/${run}`);
  await db.query(
    `insert into tool_usage (id, server_id, tool, org, project, user_id, success, duration_ms, called_at, run, depth, error)
     select gen_random_uuid(), 'desk', 'read', u.org, u.project, u.user_id, n > 1000, 1,
       u.called_at + n * interval '100 microseconds', u.id, 1,
       case when n <= 1000 then repeat('€', 1000) end
     from tool_usage u, generate_series(1, 10000) n where u.id = $1::uuid`,
    [run],
  );
  const ids = new Set<string>();
  let pages = 0;
  for (let cursor: string | undefined = ''; cursor !== undefined; pages += 1) {
    const more: string = cursor && `&calls_cursor=${encodeURIComponent(cursor)}`;
    const page = await readBounded(`/runs/${run}?calls_limit=1000${more}`);
    assert.equal(page.calls_total, 10_000);
    for (const { id } of page.calls) ids.add(id);
    cursor = page.calls_next;
  }
  assert.equal(ids.size, 10_000);
  assert.ok(pages > 10 && pages < 40, String(pages));
});
