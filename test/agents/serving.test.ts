import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EACH_CLIENT, type Loose } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { TestBed } from '../support/test-bed.ts';

const rights = (name: string, tools: string) =>
  fixtureServer('fixture-rights.ts', '--name', name, '--tools', tools);
const config = {
  mcpServers: { work: rights('work', 'read,write,touch'), bank: rights('bank', 'pay') },
  agents: {
    analyst: { systemPrompt: 'You analyse.', capabilities: { work: { tools: ['read'] } } },
    clerk: { capabilities: { bank: {}, capabilities: {} } },
    broken: { capabilities: { work: { tools: ['raed'] }, bank: { tools: ['pai'] } } },
  },
};

const bed = new TestBed(config);
const { pml } = bed;
const toolsIn = (names: readonly string[]) => names.filter((name) => name.startsWith('mcp__'));

for (const { kind, transport } of EACH_CLIENT) {
  test(`an agent has what its object lists, and no more (${kind}, ${transport})`, async () => {
    const analyst = await bed.peer(kind, transport, { agent: 'analyst' });
    const clerk = await bed.peer(kind, transport, { agent: 'clerk' });
    assert.deepEqual(toolsIn(await analyst.toolNames()), ['mcp__work__read']);
    assert.deepEqual(toolsIn(await clerk.toolNames()), ['mcp__bank__pay']);
    assert.deepEqual((await analyst.call('work:read', { n: 1 })).structuredContent.tool, 'read');
    await assert.rejects(analyst.call('mcp__work__write'), /Unknown tool: mcp__work__write/);
    const reached = await analyst.call('pml_execute', {
      intent: 'look around',
      code: 'return Object.keys(mcp)',
    });
    assert.deepEqual(reached.structuredContent.result, ['work']);
    assert.deepEqual(await analyst.list('prompts/list', 'prompts'), []);
    assert.match((await clerk.list('prompts/list', 'prompts'))[0].name, /bank/);
    assert.doesNotMatch(analyst.instructions() ?? '', /bank/);
    // Without an agent, a client may use everything.
    const plain = await bed.peer(kind, transport);
    assert.equal(toolsIn(await plain.toolNames()).length, 4);
  });
}

test('a part of an agent offers the tools of its server under their own names', async () => {
  const part = await bed.peer('SDK v2 legacy', 'stdio', { agent: 'analyst', capability: 'work' });
  assert.deepEqual(await part.toolNames(), ['read']);
  assert.equal((await part.call('read')).structuredContent.tool, 'read');
  await assert.rejects(part.call('pml_execute', { intent: 'x', code: 'return 1' }), /Unknown tool/);
  const own = await bed.peer('SDK v2 legacy', 'stdio', { agent: 'analyst', capability: 'pml' });
  assert.deepEqual((await own.toolNames()).slice(0, 2), ['pml_execute', 'pml_discover']);
  assert.deepEqual(toolsIn(await own.toolNames()), []);
});

test('who asks for an agent that cannot be had is told why, on stderr or as the answer', async () => {
  const expected = {
    nobody: /There is no agent "nobody" in the config/,
    broken: /capabilities\.work\.tools\[0\]: unknown tool "raed"[\s\S]*capabilities\.bank\.tools\[0\].*"pai"/,
  };
  for (const [agent, message] of Object.entries(expected)) {
    const { code, stdout, stderr } = await pml.run(['serve', '--agent', agent]);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, message);
  }
  const none = await pml.run(['serve', '--agent', 'analyst', '--capability', 'bank']);
  assert.match(none.stderr, /Agent "analyst" has no capability "bank"/);
  const post = async (path: string): Promise<Loose> => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const response = await fetch(`${await bed.url()}${path}`, { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  };
  // An agent that does not exist is a path that does not exist.
  assert.deepEqual(await post('/agents/nobody/mcp'), await post('/agents/analyst/nothing'));
  assert.equal((await post('/agents/nobody/mcp')).status, 404);
  const broken = await post('/agents/broken/mcp');
  assert.equal(broken.status, 500);
  assert.match(JSON.parse(broken.text).error.message, expected.broken);
});

test('an older client’s session of one agent is none of another agent’s', async () => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const post = async (agent: string, message: object, id?: string) =>
    fetch(`${await bed.url()}/agents/${agent}/mcp`, {
      method: 'POST',
      headers: { ...headers, ...(id && { 'mcp-session-id': id }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
  const opened = await post('clerk', { method: 'initialize', params });
  const id = opened.headers.get('mcp-session-id') ?? '';
  await opened.text();
  assert.equal((await post('clerk', { method: 'tools/list' }, id)).status, 200);
  const stolen = await post('analyst', { method: 'tools/list' }, id);
  assert.equal(stolen.status, 404);
});

test('the journal says which agent called', async () => {
  const analyst = await bed.peer('SDK v2 legacy', 'stdio', { agent: 'analyst' });
  await analyst.call('work:read', { n: 5 });
  const rows = await bed.rows(
    `select agent, server_id, count(*)::int as calls from tool_usage where server_id in ('work', 'bank') group by 1, 2`,
  );
  const agents = rows.map(({ agent, server_id }: Loose) => `${agent} ${server_id}`);
  assert.ok(agents.includes('analyst work') && !agents.includes('analyst bank'), agents.join());
});
