import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ApiBed, openApiBed } from '../support/api-bed.ts';
import { openStream } from '../support/event-stream.ts';
import { type AgentClient, type Loose, rightsServer } from '../support/gateway-bed.ts';

/** In the name, the intent and the code of what only eve may see. */
const SECRET = 'zebra';

let api: ApiBed;
let eve: AgentClient;
let id: string;
let run: string;

before(async () => {
  api = await openApiBed({ mcpServers: { desk: rightsServer('desk', ['read']) } });
  const { bed } = api;
  eve = await bed.connect({}, { who: { ...bed.user, user: 'eve' } });
  const code = `return [await mcp.desk.read({ n: args.n }), '${SECRET}'];`;
  const name = `${SECRET}:get`;
  const { structuredContent } = await eve.execute({ intent: `get a ${SECRET}`, name, code, args: { n: 1 } });
  id = structuredContent.capabilityId;
  await eve.call('cap_rename', { name, visibility: 'private' });
  await eve.call('pml_execute', { intent: SECRET, capability: name, args: { n: 2 } });
  await bed.resources.journal.flush();
  const { rows } = await bed.resources.db.query<{ run: string }>(
    `select id::text as run from tool_usage where user_id = 'eve' and run = id limit 1`,
  );
  run = rows[0]?.run ?? '';
});
after(() => api.close());

test('a private capability of another user is not found by its id, whatever is asked of it', async () => {
  assert.match(id, /^[0-9a-f-]{36}$/);
  const other = '00000000-0000-4000-8000-000000000000';
  for (const path of ['', '/usage', '/versions/1/diff/1']) {
    const hidden = await api.get(`/capabilities/${id}${path}`);
    assert.equal(hidden.status, 404, path);
    const missing = await api.get(`/capabilities/${other}${path}`);
    assert.deepEqual(JSON.parse(JSON.stringify(hidden.body).replaceAll(id, other)), missing.body);
  }
  const acts: [string, object][] = [
    ...['verify', 'retire', 'restore', 'undo-rename'].map((act): [string, object] => [act, {}]),
    ['run', { args: { n: 1 } }],
    ['rollback', { version: 1 }],
    ['feedback', { success: false }],
  ];
  for (const [act, body] of acts)
    assert.equal((await api.send('POST', `/capabilities/${id}/${act}`, body)).status, 404, act);
  const patched = await api.send('PATCH', `/capabilities/${id}`, { description: 'mine' });
  assert.equal(patched.status, 404);
  const batch = await api.post('/capabilities/batch', { ids: [id], change: { retire: true } });
  assert.deepEqual([batch.done.length, batch.failed.length], [0, 1]);
  for (const kind of ['unnamed', 'stale', 'failing', 'unused'])
    for (const act of ['accept', 'dismiss'])
      assert.equal((await api.send('POST', `/inbox/${kind}:${id}/${act}`, {})).status, 404, `${kind} ${act}`);
  const { structuredContent } = await eve.call('pml_execute', {
    ...{ intent: SECRET, capability: `${SECRET}:get`, args: { n: 2 } },
  });
  assert.equal(structuredContent.status, 'success');
});

test('it is in no list, graph, search, figure or run of another user', async () => {
  const lists = [
    '/capabilities?limit=200',
    `/capabilities?q=${SECRET}`,
    `/capabilities?namespace=${SECRET}`,
    '/graph',
    '/runs?limit=200',
    '/runs?user=eve',
    '/tools/desk/read',
    '/inbox',
    '/overview',
    '/types',
  ];
  for (const path of lists) assert.ok(!JSON.stringify(await api.read(path)).includes(SECRET), path);
  assert.equal((await api.read('/tools/desk/read')).used_by.length, 0);
  assert.equal(named((await api.read('/tools')).items, 'desk:read').used_by, 0);
  // Calls of a shared tool count for all of the project, as in `pml stats`; runs of the private capability do not.
  assert.equal((await api.read('/overview')).totals.calls, 3);
  assert.equal((await api.get(`/runs?capability=${id}`)).status, 404);
  assert.match(run, /^[0-9a-f-]{36}$/);
  assert.equal((await api.get(`/runs/${run}`)).status, 404);
  assert.equal((await api.send('POST', `/runs/${run}/replay`)).status, 404);
});

test('its changes and calls are not in the live stream of another user', async () => {
  const stream = await openStream(api.url);
  await stream.until('resync');
  await eve.call('pml_execute', { intent: SECRET, capability: `${SECRET}:get`, args: { n: 3 } });
  await eve.call('cap_rename', { name: `${SECRET}:get`, description: SECRET });
  const mine = await api.bed.connect();
  await mine.call('mcp__desk__read', { n: 9 });
  const isMine = ({ user }: Loose) => user === api.bed.user.user;
  const { data } = await stream.until('call');
  assert.ok(data.rows.length > 0 && data.rows.every(isMine), JSON.stringify(data));
  await mine.execute({ code: 'return [await mcp.desk.read({ n: 1 })];', name: 'desk:mine' });
  const { data: changed } = await stream.until('capability');
  assert.notEqual(changed.id, id);
  stream.close();
});

function named(items: readonly Loose[], name: string): Loose {
  return items.find((item) => item.name === name);
}
