import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import { type ApiBed, openApiBed } from '../support/api-bed.ts';
import type { AgentClient, Loose } from '../support/gateway-bed.ts';
import { fixtureServer } from '../support/pml.ts';

let api: ApiBed;
let client: AgentClient;

before(async () => {
  api = await openApiBed({
    mcpServers: { files: fixtureServer('fixture-shift.ts') },
    lifecycle: { unusedDays: 90, minSuccessRate: 0.5, minCalls: 3 },
  });
  client = await api.bed.connect();
});
after(() => api.close());

async function make(name: string, code: string, args: object = { path: 'a' }): Promise<string> {
  const { structuredContent } = await client.execute({ intent: `make ${name}`, name, code, args });
  assert.equal(structuredContent.status, 'success', JSON.stringify(structuredContent));
  return structuredContent.capabilityId;
}

/** Accepts the one item of a kind, and takes it back; each time the inbox and the capability must show it. */
async function acceptAndUndo(kind: string, gone: string): Promise<void> {
  const { items, counts } = await api.read(`/inbox?kind=${kind}`);
  assert.deepEqual([items.length, counts[kind]], [1, 1], JSON.stringify(items));
  const [item] = items;
  const before = await api.read(`/capabilities/${gone}`);
  const { undo } = await api.post(`/inbox/${item.id}/accept`);
  assert.equal((await api.read(`/capabilities/${gone}`)).state, 'retired');
  const decided = await api.read(`/inbox?kind=${kind}`);
  assert.deepEqual([decided.items, decided.counts[kind]], [[], 0]);
  const again = await api.send('POST', `/inbox/${item.id}/accept`, {});
  assert.ok([404, 409].includes(again.status), JSON.stringify(again.body));
  await api.post('/undo', { undo });
  const after = await api.read(`/capabilities/${gone}`);
  const kept = ({ name, state, reason, tags, version, visibility, aliases }: Loose) => [
    ...[name, state, reason, tags, version, visibility, aliases],
  ];
  assert.deepEqual(kept(after), kept(before));
  const back = await api.read(`/inbox?kind=${kind}`);
  assert.deepEqual([back.items[0]?.id, back.counts[kind]], [item.id, 1]);
  assert.equal((await api.send('POST', '/undo', { undo })).status, 400);
}

test('a twin is folded, and comes back', async () => {
  const twice = 'await mcp.files.read({ path: args.path }); await mcp.files.read({ path: "z" });';
  const keep = await make('a:one', `const r = ${twice} return r.path;`);
  await client.call('mcp__a__one', { path: 'b' });
  const fold = await make('a:two', `const r = ${twice} return [r.path];`);
  const [item] = (await api.read('/inbox?kind=twins')).items;
  assert.deepEqual([item.capability.id, item.other.id, item.accept], [keep, fold, 'fold']);
  await acceptAndUndo('twins', fold);
  assert.equal((await client.call('mcp__a__two', { path: 'c' })).isError, undefined);
});

test('an unused capability is retired, and comes back', async () => {
  const id = await make('b:unused', 'return args.path.length * 3;');
  const { db, journal } = api.bed.resources;
  await journal.flush();
  await db.query(
    `update capability_records set last_used_at = now() - interval '100 days' where uid = $1::uuid`,
    [id],
  );
  await acceptAndUndo('unused', id);
});

test('a failing capability is retired, and comes back', async () => {
  const code = `if (args.path === 'bad') throw new Error('broken'); return args.path + '!';`;
  const id = await make('c:failing', code);
  for (const _ of [1, 2, 3]) await api.post(`/capabilities/${id}/run`, { args: { path: 'bad' } });
  await api.bed.resources.journal.flush();
  await acceptAndUndo('failing', id);
});

test('a stale capability is retired, and comes back', async () => {
  const id = await make('d:stale', 'return (await mcp.files.read({ path: args.path })).path + 4;');
  await client.call('cap_retire', { name: 'a:one' });
  await client.call('cap_retire', { name: 'a:two' });
  const needsMode = { type: 'object', properties: { mode: { type: 'string' } }, required: ['mode'] };
  await client.call('files:shift', { tools: { read: needsMode } });
  await eventually(async () => (await api.read(`/capabilities/${id}`)).state === 'stale', 'the drift');
  await acceptAndUndo('stale', id);
});
