import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import {
  type AgentClient,
  type GatewayBed,
  type Loose,
  openGatewayBed,
  rightsServer,
} from '../support/gateway-bed.ts';

const READING = ['cap_lookup', 'cap_list', 'cap_whois', 'cap_history', 'cap_stats'];
const TOOLS_CHANGED = 'notifications/tools/list_changed';

let bed: GatewayBed;
let user: AgentClient;

before(async () => {
  bed = await openGatewayBed({
    mcpServers: { fs: rightsServer('fs', ['read', 'write']), db: rightsServer('db', ['query']) },
    agents: {
      without: { capabilities: { fs: {} } },
      some: { capabilities: { fs: {}, capabilities: { names: ['json:read', 'json:later'] } } },
      every: { capabilities: { fs: {}, capabilities: {} } },
      quiet: { capabilities: { fs: {}, capabilities: { tools: [] } } },
    },
  });
  user = await bed.connect();
  await learn('json:read', 'return { json: await mcp.fs.read({ n: 1 }) }');
  await learn('json:other', 'return { other: [1, 2].length }');
});
after(() => bed.close());

async function learn(name: string, code: string, by = user): Promise<Loose> {
  const { structuredContent } = await by.execute({ name, code, intent: `do ${name}` });
  assert.equal(structuredContent.status, 'success', JSON.stringify(structuredContent));
  return structuredContent;
}

const namesIn = async (client: AgentClient): Promise<string[]> => {
  const { structuredContent } = await client.call('cap_list', { limit: 50 });
  return structuredContent.capabilities.map(({ name }: Loose) => name);
};
const ownTools = async (client: AgentClient) =>
  (await client.toolNames()).filter((name) => name.startsWith('cap_'));
const codeOf = ({ error, structuredContent }: Loose) =>
  error?.data?.code ?? structuredContent?.error?.code ?? 'ok';

test('the tools that change records exist for an agent only with `capabilities` in its object', async () => {
  const known = bed.gateway.workspace.agentCapabilities.knownCapabilities();
  const changing = known.find(({ key }) => key === 'capabilities')?.tools.map(({ key }) => key) ?? [];
  const all = (await ownTools(user)).sort();
  assert.deepEqual(all, [...READING, ...changing].sort());
  const expected = { without: READING, quiet: READING, some: all, every: all };
  for (const [agent, tools] of Object.entries(expected)) {
    const client = await bed.connect({ agent });
    assert.deepEqual((await ownTools(client)).sort(), [...tools].sort(), agent);
    for (const tool of changing)
      assert.equal(
        codeOf(await client.call(tool)) === 'tool_not_found',
        !tools.includes(tool),
        `${agent} ${tool}`,
      );
  }
  const client = await bed.connect({ agent: 'without' });
  const { tools } = await client.request('tools/list');
  const told = JSON.stringify([tools, client.instructions()]);
  for (const tool of changing) assert.ok(!told.includes(tool), tool);
  const execute = JSON.stringify(tools.find(({ name }: Loose) => name === 'pml_execute'));
  assert.doesNotMatch(execute + client.instructions(), /capabilit|remember(?!":)|"name":\{/i);
});

test('an agent sees the capabilities that its object names, and no others', async () => {
  const [without, some, every] = await Promise.all(
    ['without', 'some', 'every'].map((agent) => bed.connect({ agent })),
  );
  assert.deepEqual(await namesIn(without as AgentClient), []);
  assert.deepEqual(await namesIn(some as AgentClient), ['json:read']);
  assert.deepEqual((await namesIn(every as AgentClient)).sort(), ['json:other', 'json:read']);
});

test('a renamed capability stays the agent’s, by its former names too', async () => {
  await learn('json:draft', 'return { draft: await mcp.fs.read({ n: 7 }) }');
  bed.declare('drafter', { fs: {}, capabilities: { names: ['json:draft'] } });
  const client = await bed.connect({ agent: 'drafter' });
  await user.call('cap_rename', { name: 'json:draft', new_name: 'json:final' });
  assert.deepEqual(await namesIn(client), ['json:final']);
  for (const name of ['json:draft', 'json:final', 'mcp__json__final'])
    assert.equal(codeOf(await client.call(name)), 'ok', name);
  assert.ok((await client.toolNames()).includes('mcp__json__final'));
});

test('what the code of an agent teaches is remembered for its user, and told to the agent only if it may use it', async () => {
  const code = 'return { taught: [await mcp.fs.read({ n: 3 }), await mcp.fs.write({ n: 4 })] }';
  const without = await bed.connect({ agent: 'without' });
  const { structuredContent } = await without.execute({ code, intent: 'teach something' });
  assert.deepEqual(Object.keys(structuredContent).sort(), [
    'executionTimeMs',
    'mode',
    'result',
    'status',
    'toolsUsed',
  ]);
  const known = await user.call('cap_list', { unnamed_only: true, limit: 50 });
  assert.equal(known.structuredContent.total, 1);
  // Sent again by the user, it is the same capability.
  const again = await user.execute({ code, name: 'json:taught', intent: 'teach something' });
  assert.equal(again.structuredContent.capabilityName, 'json:taught');
  const some = await bed.connect({ agent: 'some' });
  const hidden = await some.execute({ code, intent: 'teach something' });
  assert.ok(!JSON.stringify(hidden).includes('json:taught'));
  // By a name of its list, it may have what it teaches.
  const later = await learn('json:later', 'return { later: await mcp.fs.write({ n: 9 }) }', some);
  assert.equal(later.remembered.name, 'json:later');
  assert.deepEqual((await namesIn(some)).sort(), ['json:later', 'json:read']);
  assert.equal(codeOf(await without.execute({ code, name: 'json:mine' })), 'invalid_arguments');
});

test('a cached result goes to no agent that may not call what made it', async () => {
  await learn('db:total', 'return { total: await mcp.db.query({}) }');
  await user.call('cap_rename', { name: 'db:total', cache_policy: 'memoize', ttl: 600, force: true });
  bed.declare('cacher', { db: {}, capabilities: {} });
  for (const client of [user, await bed.connect({ agent: 'cacher' })])
    for (let n = 0; n < 2; n++) assert.equal(codeOf(await client.execute({ capability: 'db:total' })), 'ok');
  const every = await bed.connect({ agent: 'every' });
  const refused = await every.execute({ capability: 'db:total' });
  assert.match(refused.structuredContent.error.message, /There is no tool or capability "db:query"/);
});

test('a kept result is read by the agent that made it alone', async () => {
  const [one, other] = [await bed.connect({ agent: 'every' }), await bed.connect({ agent: 'some' })];
  const code = 'return Array.from({ length: 3000 }, (_, i) => "row " + i + " of a long result")';
  const { structuredContent } = await one.execute({ code, options: { remember: false } });
  const { run } = structuredContent.truncated;
  const read = `return (await pml.result(${JSON.stringify(run)})).length`;
  assert.equal((await one.execute({ code: read })).structuredContent.result, 3000);
  for (const client of [other, user])
    assert.match((await client.execute({ code: read })).structuredContent.error.message, /not kept/);
});

test('a failure that an agent’s rights cause does not speak against a capability', async () => {
  await learn('db:fails', 'return { rows: await mcp.db.query({ n: 5 }) }');
  const every = await bed.connect({ agent: 'every' });
  for (let n = 0; n < 6; n++) assert.equal(codeOf(await every.call('db:fails')), 'code_exception');
  const { structuredContent } = await user.call('cap_stats', { name: 'db:fails' });
  assert.equal(structuredContent.listing.recent_success_rate, 1);
  assert.equal(structuredContent.listing.listed, true);
});

test('agents hear of changed capabilities only if they may use them', async () => {
  const [without, some, every] = [
    await bed.connect({ agent: 'without' }),
    await bed.connect({ agent: 'some' }),
    await bed.connect({ agent: 'every' }),
  ];
  const heard = (client: AgentClient) => client.heard.filter(({ method }) => method === TOOLS_CHANGED).length;
  await learn('news:one', 'return { one: await mcp.fs.read({ n: 11 }) }');
  await eventually(() => heard(every) > 0, 'the agent that may use all hears of it');
  assert.deepEqual([heard(without), heard(some)], [0, 0]);
  await user.call('cap_rename', { name: 'json:read', description: 'Reads JSON, and tells so' });
  await eventually(() => heard(some) > 0, 'the agent that may use it hears of it');
  assert.equal(heard(without), 0);
});

test('the statistics of an agent count the tools that it may use, and no others', async () => {
  await user.call('db:query', { n: 1 });
  await user.call('fs:read', { n: 1 });
  const { structuredContent } = await (await bed.connect({ agent: 'without' })).call('cap_stats', {});
  const names = [...structuredContent.tools, ...structuredContent.servers].map(({ name }: Loose) => name);
  assert.ok(names.includes('fs:read') && !names.some((name: string) => name.startsWith('db')), names.join());
  assert.deepEqual(structuredContent.capabilities, []);
});

test('the code of an agent gives no capability of its user further parameters', async () => {
  const code = (skipped: string, kept: string) => `const kinds = ["call", "visit"];
    const answer = await mcp.fs.write({ n: 5 });
    return { answer, ${kept}: kinds.filter((kind) => kinds.includes(kind) && kind !== "${skipped}") };`;
  const versions: number[] = [];
  for (const [kept, agent] of [
    ['byUser', undefined],
    ['byAgent', 'without'],
  ] as const) {
    const first = await user.execute({ code: code('call', kept), intent: 'skip a kind' });
    const client = agent ? await bed.connect({ agent }) : user;
    await client.execute({ code: code('visit', kept), intent: 'skip a kind' });
    const name = first.structuredContent.capabilityFqdn;
    versions.push((await user.call('cap_whois', { name })).structuredContent.version);
  }
  assert.deepEqual(versions, [2, 1]);
});
