import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ApiBed, openApiBed } from '../support/api-bed.ts';
import { openStream } from '../support/event-stream.ts';
import { type AgentClient, type Loose, rightsServer } from '../support/gateway-bed.ts';
import { startModelServer } from '../support/model-server.ts';

let api: ApiBed;
let client: AgentClient;

before(async () => {
  api = await openApiBed({ mcpServers: { desk: rightsServer('desk', ['read', 'write']) } });
  client = await api.bed.connect();
});
after(() => api.close());

test('a page hears of calls and capabilities, and catches up after a gap', async () => {
  const first = await openStream(api.url);
  const { id: began } = await first.until('resync');
  await client.call('mcp__desk__read', { n: 1 });
  const { data, id } = await first.until('call');
  assert.deepEqual([data.rows[0].name, data.rows[0].ok], ['desk:read', true]);
  first.close();
  await client.call('mcp__desk__write', { n: 1 });
  await client.execute({
    code: 'return [await mcp.desk.read({ n: args.n }), 1];',
    name: 'desk:live',
    args: { n: 1 },
  });
  const second = await openStream(api.url, { 'last-event-id': id });
  await second.until('call', ({ rows }) => rows.some(({ name }: Loose) => name === 'desk:write'));
  const { data: change } = await second.until('capability');
  assert.equal((await api.read(`/capabilities/${change.id}`)).name, 'desk:live');
  second.close();
  for (const odd of ['x', `ffffffff-${began.split('-')[1]}`, `${began.split('-')[0]}-999999`]) {
    const stream = await openStream(api.url, { 'last-event-id': odd });
    await stream.until('resync');
    stream.close();
  }
});

test('a stream that begins after the event which the session names has all that followed', async () => {
  const { last_event } = await api.read('/session');
  await client.call('mcp__desk__read', { n: 7 });
  const stream = await openStream(api.url, {}, `?after=${last_event}`);
  await stream.until('call', ({ rows }) => rows.some(({ name }: Loose) => name === 'desk:read'));
  // Capabilities learned from earlier calls may be announced before this one.
  const numbers = [last_event, ...stream.ids].map((one: string) => Number(one.split('-')[1]));
  assert.deepEqual(
    numbers,
    numbers.map((_, at) => (numbers[0] as number) + at),
  );
  stream.close();
});

test('a table names the latest event before it was read, and its further pages none', async () => {
  const { last_event } = await api.read('/session');
  const { as_of } = await api.read('/capabilities?limit=1');
  const [epoch, number] = last_event.split('-');
  assert.ok(as_of.startsWith(`${epoch}-`) && Number(as_of.split('-')[1]) >= Number(number), as_of);
  await client.execute({
    code: 'return [await mcp.desk.write({ n: args.n })];',
    args: { n: 1 },
    name: 'desk:two',
  });
  const { next } = await api.read('/capabilities?limit=1');
  assert.equal((await api.read(`/capabilities?limit=1&cursor=${next}`)).as_of, undefined);
});

test('an unnamed capability is named from the inbox, and that is taken back', async () => {
  const code = 'const a = await mcp.desk.read({ n: args.n }); return { first: a, second: 2 };';
  await client.execute({ intent: 'read a desk twice', code, args: { n: 1 } });
  const { items, counts } = await api.read('/inbox?kind=unnamed');
  assert.equal(counts.unnamed, 1);
  assert.deepEqual(await api.read('/inbox/counts'), counts);
  const [item] = items;
  assert.deepEqual([item.kind, item.accept, item.suggestion.by], ['unnamed', 'name', 'rules']);
  const before = await api.read(`/capabilities/${item.capability.id}`);
  const { undo } = await api.post(`/inbox/${item.id}/accept`, { name: 'desk:chosen', tags: ['mine'] });
  const named = await api.read(`/capabilities/${item.capability.id}`);
  assert.deepEqual([named.name, named.tags], ['desk:chosen', ['mine']]);
  assert.equal((await api.read('/inbox')).counts.unnamed, 0);
  await api.post('/undo', { undo });
  const after = await api.read(`/capabilities/${item.capability.id}`);
  assert.deepEqual([after.name, after.named, after.tags], [before.name, false, before.tags]);
  assert.equal((await api.send('POST', '/undo', { undo })).status, 400);
});

test('a dismissed item stays away until that is taken back', async () => {
  const [item] = (await api.read('/inbox?kind=unnamed')).items;
  const { undo } = await api.post(`/inbox/${item.id}/dismiss`);
  const { items, counts } = await api.read('/inbox');
  assert.deepEqual([items, counts.unnamed], [[], 0]);
  await api.post('/undo', { undo });
  assert.equal((await api.read('/inbox')).counts.unnamed, 1);
  for (const bad of ['x', 'unnamed:1', `twins:${item.capability.id}`, `shoe:${item.capability.id}`])
    assert.equal((await api.send('POST', `/inbox/${bad}/dismiss`)).status, 400, bad);
  const nobody = 'stale:00000000-0000-4000-8000-000000000000';
  assert.equal((await api.send('POST', `/inbox/${nobody}/accept`)).status, 404);
});

test('to open the inbox asks no model; only who wants it has it asked', async () => {
  const model = await startModelServer({ after });
  const { gateway, user } = api.bed;
  const { structuredContent } = await client.execute({
    intent: 'read it unnamed',
    code: 'return { unnamed: await mcp.desk.read({ n: args.n }) };',
    args: { n: 1 },
  });
  const suggestion = async () => {
    const { items } = await api.read('/inbox?kind=unnamed');
    return items.find((item: Loose) => item.capability.id === structuredContent.capabilityId).suggestion;
  };
  assert.equal((await api.read('/inbox')).model, undefined);
  gateway.models.set(user.user, { anthropicKey: 'sk-ant-test-0123456789', anthropicUrl: model.url });
  assert.equal((await suggestion()).by, 'rules');
  assert.equal((await api.read('/inbox')).model, 'anthropic/claude-haiku-4-5');
  assert.equal(model.requests.length, 0);
  await api.post('/inbox/ask-model');
  assert.equal(model.requests.length, 1);
  // The names that the model gave are kept.
  const { by, name } = await suggestion();
  assert.deepEqual([by, name, model.requests.length], ['model', 'model:read_it_unnamed', 1]);
});

test('only the page itself may change anything', async () => {
  const refused = async (headers: Record<string, string>, body: unknown = {}) => {
    const { status, body: answer } = await api.send('POST', '/capabilities/x/retire', body, headers);
    return [status, answer.error.code];
  };
  assert.deepEqual(await refused({ 'x-pml-token': 'old' }), [403, 'stale_page']);
  assert.deepEqual(await refused({ 'content-type': 'text/plain' }), [400, 'bad_request']);
  assert.deepEqual(await refused({ 'sec-fetch-site': 'cross-site' }), [403, 'not_allowed']);
  assert.deepEqual(await refused({ 'sec-fetch-site': 'same-site' }), [403, 'not_allowed']);
  assert.deepEqual(await refused({}, '{"a":'), [400, 'bad_request']);
  assert.deepEqual(await refused({}, '[]'), [400, 'bad_request']);
  assert.deepEqual(await refused({}, JSON.stringify('x'.repeat(5_000_000))), [413, 'message_too_large']);
  for (const path of ['/session', '/overview', '/runs'])
    assert.equal((await api.get(path, { 'sec-fetch-site': 'cross-site' })).status, 403, path);
  assert.equal((await api.get('/nothing')).status, 404);
  assert.equal((await api.get('/overview?workspace=other')).status, 400);
  const { headers } = await api.get('/session');
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.equal(headers.get('cache-control'), 'no-store');
});
