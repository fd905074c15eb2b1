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

const names = (items: Loose[]) => items.map(({ name }) => name);

test('a run of code is one row, with its calls as a timeline', async () => {
  const code = `console.log('begin');
const [a, b] = await Promise.all([mcp.desk.read({ n: args.n }), mcp.desk.write({ n: 2 })]);
return [a, b];`;
  await client.execute({ intent: 'read and write', code, args: { n: 5 }, name: 'desk:pair' });
  const { items } = await api.read('/runs?kind=run');
  assert.deepEqual(names(items), ['desk:pair']);
  const run = await api.read(`/runs/${items[0].id}`);
  assert.deepEqual([run.kind, run.intent, run.ok, run.calls_total], ['run', 'read and write', true, 2]);
  assert.deepEqual(names(run.calls).sort(), ['desk:read', 'desk:write']);
  for (const { start_ms, ms } of run.calls)
    assert.ok(start_ms + ms <= run.ms + 2, `${start_ms} + ${ms} of ${run.ms}`);
  assert.deepEqual([run.args.n, run.logs[0].text, run.calls[0].depth], [5, 'begin', 1]);
  assert.match(JSON.stringify(run.result), /desk/);
  assert.match(run.code_html, /class="line"/);
  const page = await api.read(`/runs/${items[0].id}?calls_limit=1`);
  const rest = await api.read(`/runs/${items[0].id}?calls_limit=1&calls_cursor=${page.calls_next}`);
  assert.deepEqual([...names(page.calls), ...names(rest.calls)], names(run.calls));
  assert.equal(rest.calls_next, undefined);
});

test('calls of nested capabilities belong to the outermost run', async () => {
  await client.execute({
    code: 'return [await mcp["desk:pair"]({ n: args.n })];',
    name: 'desk:outer',
    args: { n: 1 },
  });
  await client.call('mcp__desk__outer', { n: 3 });
  const { items } = await api.read('/runs?kind=run&limit=1');
  const run = await api.read(`/runs/${items[0].id}`);
  assert.deepEqual([run.name, run.kind], ['desk:outer', 'capability']);
  assert.deepEqual(run.calls.map(({ name, depth }: Loose) => [name, depth]).sort(), [
    ['desk:pair', 1],
    ['desk:read', 2],
    ['desk:write', 2],
  ]);
  const { items: calls } = await api.read('/runs?kind=call&limit=1');
  assert.equal(calls[0].run, run.id);
});

test('a failure says where in the code, and what was logged', async () => {
  const code = `console.warn('here');\nawait mcp.desk.read({ n: 1 });\nthrow new Error('broken');`;
  const answer = await api.post('/execute', { intent: 'fail', code });
  assert.deepEqual([answer.ok, answer.error.code], [false, 'code_exception']);
  const run = await api.read(`/runs/${answer.run}`);
  assert.deepEqual([run.ok, run.error.line, run.code], [false, 3, code]);
  assert.match(run.error.message, /broken/);
  assert.deepEqual(run.logs, [{ level: 'warn', text: 'here' }]);
  const { items } = await api.read('/runs?outcome=failed&kind=run');
  assert.equal(items[0].id, answer.run);
});

test('what is refused before it runs has no run; what ran has one', async () => {
  const broken = await api.post('/execute', { intent: 'x', code: 'return (' });
  assert.deepEqual([broken.ok, broken.run, broken.error.code], [false, null, 'syntax_error']);
  const { items } = await api.read('/capabilities?sort=name');
  const { id } = items.find(({ name }: Loose) => name === 'desk:pair');
  const wrong = await api.post(`/capabilities/${id}/run`, { args: { n: 'five' } });
  assert.deepEqual([wrong.ok, wrong.error.code], [false, 'invalid_arguments']);
  // Such a call is journalled.
  assert.equal((await api.read(`/runs/${wrong.run}`)).ok, false);
  const ran = await api.post(`/capabilities/${id}/run`, { args: { n: 5 } });
  assert.equal((await api.read(`/runs/${ran.run}`)).ok, true);
});

test('secrets of a run are hidden in all that is kept of it', async () => {
  const secret = 'sk-live-4f9a8b7c6d5e4f3a2b1c0d9e';
  const code = `console.log(args.token); await mcp.desk.read({ n: 1, password: '${secret}2' }); return { token: args.token };`;
  const { run: id } = await api.post('/execute', {
    intent: 'x',
    code,
    args: { token: secret },
    remember: false,
  });
  const text = JSON.stringify(await api.read(`/runs/${id}`));
  assert.doesNotMatch(text, /4f9a8b7c6d5e/);
});

test('a result of ten megabytes is kept in part', async () => {
  const code = `return { text: 'x'.repeat(10_000_000), list: Array.from({ length: 1000 }, (_, i) => i) };`;
  const { run: id, truncated, ok } = await api.post('/execute', { intent: 'much', code });
  assert.equal(ok, true);
  assert.ok(truncated.bytes > 10_000_000);
  const { result, truncated: cut } = await api.read(`/runs/${id}`);
  assert.ok(JSON.stringify(result).length < 50_000);
  assert.ok(cut.bytes > 10_000_000);
});

test('a recorded run can be replayed; another says why not', async () => {
  const { items } = await api.read('/runs?kind=run');
  const recorded = items.find(({ name, kind }: Loose) => name === 'desk:pair' && kind === 'run');
  assert.deepEqual(await api.post(`/runs/${recorded.id}/replay`), { passed: true, differences: [] });
  const failed = items.find(({ ok }: Loose) => !ok);
  const refused = await api.send('POST', `/runs/${failed.id}/replay`);
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'not_replayable']);
});

test('the journal is filtered and paged', async () => {
  const all: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Loose = await api.read(`/runs?limit=3${cursor ? `&cursor=${cursor}` : ''}`);
    all.push(...page.items.map(({ id }: Loose) => id));
    cursor = page.next;
  }
  const whole = await api.read('/runs?limit=200');
  assert.deepEqual(
    all,
    whole.items.map(({ id }: Loose) => id),
  );
  const reads = await api.read('/runs?server=desk&tool=read');
  assert.ok(reads.items.length > 0 && reads.items.every(({ name }: Loose) => name === 'desk:read'));
  const { capability_id } = whole.items.find(({ name }: Loose) => name === 'desk:pair');
  const ofOne = await api.read(`/runs?capability=${capability_id}`);
  assert.ok(ofOne.items.every(({ name }: Loose) => name === 'desk:pair'));
  assert.equal((await api.read('/runs?user=nobody')).items.length, 0);
  assert.equal((await api.read('/runs?until=2001-01-01')).items.length, 0);
  for (const bad of ['?since=yesterday', '?kind=x', '?cursor=abc', '?capability=nothing'])
    assert.ok([400, 404].includes((await api.get(`/runs${bad}`)).status), bad);
  for (const id of ['x', '00000000-0000-7000-8000-000000000000'])
    assert.equal((await api.get(`/runs/${id}`)).status, 404);
});
