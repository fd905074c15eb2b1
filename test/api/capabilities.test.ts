import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ApiBed, openApiBed } from '../support/api-bed.ts';
import { type AgentClient, type Loose, rightsServer } from '../support/gateway-bed.ts';

let api: ApiBed;
let client: AgentClient;

before(async () => {
  api = await openApiBed({ mcpServers: { desk: rightsServer('desk', ['read', 'write']) } });
  client = await api.bed.connect();
});
after(() => api.close());

/** Remembers a capability, and returns its id. */
async function make(name: string, code: string, args: object = { n: 1 }): Promise<string> {
  const { structuredContent } = await client.execute({ intent: `make ${name}`, name, code, args });
  assert.equal(structuredContent.status, 'success', JSON.stringify(structuredContent));
  return structuredContent.capabilityId;
}

/** Code that does something of its own for each name. */
const read = (what: string) =>
  `const a = await mcp.desk.read({ n: args.n }); return [a, '${what}'.length, /${what}/.test(a)];`;

test('one capability, with its code as spans in which all text is escaped', async () => {
  const id = await make('desk:get', `${read('get')} // <img src=x onerror=alert(1)> & "'"`);
  const one = await api.read(`/capabilities/${id}`);
  assert.equal(one.name, 'desk:get');
  assert.deepEqual(one.uses, [{ name: 'desk:read', kind: 'tool' }]);
  assert.deepEqual([one.versions.length, one.versions[0].current, one.state], [1, true, 'listed']);
  assert.match(one.signature, /^mcp\.desk\.get\(args: \{ n/);
  assert.deepEqual([one.trust.signed, one.can_change], [true, true]);
  assert.deepEqual(one.recordings.length, 1);
  assert.match(one.code_html, /<span class="tok-keyword">const<\/span>/);
  assert.doesNotMatch(one.code_html, /<(?!\/?span)|style=/);
  const caller = await make('desk:twice', 'return [await mcp["desk:get"]({ n: args.n }), 1];');
  assert.deepEqual((await api.read(`/capabilities/${id}`)).used_by, [{ id: caller, name: 'desk:twice' }]);
  const { uses } = await api.read(`/capabilities/${caller}`);
  assert.deepEqual(uses, [{ name: 'desk:get', kind: 'capability', id }]);
});

test('what nobody has, and what is no id, is not found', async () => {
  for (const id of ['00000000-0000-4000-8000-000000000000', 'desk:get', "';--", '%00', '..%2f'])
    for (const path of ['', '/usage', '/versions/1/diff/2'])
      assert.equal((await api.get(`/capabilities/${id}${path}`)).status, 404, id + path);
});

test('another user sees neither a private capability nor the runs of others', async () => {
  const id = await make('desk:mine', read('mine'));
  const { resources, user } = api.bed;
  const { findShown } = await import('../../src/registry/browse/index.ts');
  await assert.rejects(findShown(resources.db, { ...user, user: 'eve' }, id), /not found/);
  assert.equal((await findShown(resources.db, user, id)).name, 'desk:mine');
});

test('of two browsers that change one thing, the second hears of it', async () => {
  const id = await make('desk:shared', read('shared'));
  const { revision } = await api.read(`/capabilities/${id}`);
  const both = await Promise.all(
    ['first', 'second'].map((description) =>
      api.send('PATCH', `/capabilities/${id}`, { description, revision }),
    ),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
  const refused = both.find(({ status }) => status === 409) as { body: Loose };
  assert.equal(refused.body.error.code, 'changed_meanwhile');
  const changed = await api.read(`/capabilities/${id}`);
  assert.notEqual(changed.revision, revision);
  const again = await api.send('PATCH', `/capabilities/${id}`, {
    ...{ name: 'desk:common', tags: ['a', 'b'], visibility: 'project', revision: changed.revision },
  });
  assert.deepEqual(
    [again.status, again.body.name, again.body.tags, again.body.visibility, again.body.aliases],
    [200, 'desk:common', ['a', 'b'], 'project', ['desk:shared']],
  );
  assert.equal((await api.post(`/capabilities/${id}/undo-rename`)).name, 'desk:shared');
  for (const body of [{ name: 'a b' }, { shoe: 1 }, { tags: 'x' }, { ttl: -1 }])
    assert.equal((await api.send('PATCH', `/capabilities/${id}`, body)).status, 400, JSON.stringify(body));
  assert.equal((await api.send('PATCH', `/capabilities/${id}`, { name: 'desk:get' })).status, 409);
});

test('a capability that is retired while it is looked at can be seen and restored', async () => {
  const id = await make('desk:old', read('old'));
  await client.call('cap_retire', { name: 'desk:old' });
  assert.equal((await api.read(`/capabilities/${id}`)).state, 'retired');
  assert.equal((await api.send('PATCH', `/capabilities/${id}`, { description: 'x' })).status, 404);
  assert.equal((await api.send('POST', `/capabilities/${id}/run`, { args: {} })).status, 404);
  const { items } = await api.read('/capabilities?state=retired');
  assert.deepEqual(
    items.map(({ name }: Loose) => name),
    ['desk:old'],
  );
  assert.equal((await api.post(`/capabilities/${id}/restore`)).state, 'listed');
  assert.equal((await api.post(`/capabilities/${id}/retire`)).state, 'retired');
});

test('it runs, is verified, gets versions, is compared and rolled back', async () => {
  const id = await make('desk:versions', 'const a = await mcp.desk.read({ n: args.n });\nreturn a;');
  const ran = await api.post(`/capabilities/${id}/run`, { args: { n: 7 } });
  assert.deepEqual([ran.ok, ran.error], [true, undefined]);
  assert.match(JSON.stringify(ran.result), /7/);
  const failed = await api.post(`/capabilities/${id}/run`, { args: { n: 'x', odd: 1 } });
  assert.equal(failed.ok, false);
  assert.ok(failed.error.message);
  assert.equal((await api.post(`/capabilities/${id}/verify`)).verified, true);
  const code = 'const b = await mcp.desk.read({ n: args.n });\nreturn [b, 2];';
  await client.call('cap_update', { name: 'desk:versions', code });
  const diff = await api.read(`/capabilities/${id}/versions/1/diff/2`);
  assert.deepEqual(
    diff.rows.map(({ kind }: Loose) => kind),
    ['change', 'change'],
  );
  assert.match(diff.unified, /^-return a;$/m);
  const back = await api.post(`/capabilities/${id}/rollback`, { version: 1 });
  assert.equal(back.version, 3);
  assert.match(back.code, /return a;/);
  assert.equal((await api.send('POST', `/capabilities/${id}/rollback`, { version: 9 })).status, 404);
  const told = await api.post(`/capabilities/${id}/feedback`, { success: true, note: 'fine' });
  assert.equal(told.feedback.successes, 1);
  const { series, callers } = await api.read(`/capabilities/${id}/usage`);
  assert.equal(callers.length, 1);
  const calls = series.reduce((sum: number, point: Loose) => sum + point.calls, 0);
  assert.equal(calls, callers[0].calls);
});

test('a batch does what it can, and says what it cannot', async () => {
  const ids = [await make('one:a', read('a')), await make('one:b', read('b'))];
  const missing = '00000000-0000-4000-8000-000000000000';
  const change = { tags_add: ['x', 'y'], visibility: 'project', namespace: 'two' };
  const { done, failed } = await api.post('/capabilities/batch', { ids: [...ids, missing], change });
  assert.deepEqual([done.length, failed.length], [2, 1]);
  assert.match(failed[0].error, /not found/);
  const { items } = await api.read('/capabilities?tag=x&sort=name');
  assert.deepEqual(
    items.map(({ name, tags }: Loose) => [name, tags]),
    [
      ['two:a', ['x', 'y']],
      ['two:b', ['x', 'y']],
    ],
  );
  await api.post('/capabilities/batch', { ids, change: { tags_remove: ['x'] } });
  assert.equal((await api.read('/capabilities?tag=x')).total, 0);
  assert.equal((await api.post('/capabilities/batch', { ids, change: { retire: true } })).done.length, 2);
  assert.equal((await api.post('/capabilities/batch', { ids, change: { restore: true } })).done.length, 2);
  for (const body of [{ ids: [], change: { retire: true } }, { ids }, { ids, change: { retire: false } }])
    assert.equal((await api.send('POST', '/capabilities/batch', body)).status, 400, JSON.stringify(body));
});
