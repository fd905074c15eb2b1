import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { runs, times } from '../../src/testing/effort.ts';
import {
  type AgentClient,
  type GatewayBed,
  type Loose,
  openGatewayBed,
  rightsServer,
} from '../support/gateway-bed.ts';

/** Names that are one name once they are listed, or once they are spelt loosely, are among them. */
const SERVERS: Record<string, string[]> = {
  alpha: ['read', 'write', 'x.y', 'x_y'],
  beta: ['read', 'drop'],
  gamma: ['query'],
  'delta-2': ['read', 'scan'],
  delta_2: ['read', 'scan'],
};
const TOOLS = Object.entries(SERVERS).flatMap(([server, tools]) => tools.map((tool) => `${server}:${tool}`));

/** Capabilities of the user, who may use everything, and the tools that they call. */
const LEARNED: Record<string, { code: string; calls: string[] }> = {
  'lib:plain': { code: 'return { plain: [1, 2, 3].length }', calls: [] },
  'lib:alpha': { code: 'return { of: await mcp.alpha.read({}) }', calls: ['alpha:read'] },
  'lib:nested': { code: 'return { nested: await mcp["lib:gamma"]({}) }', calls: ['lib:gamma'] },
  'lib:gamma': { code: 'return { at: await mcp.gamma.query({}) }', calls: ['gamma:query'] },
};
const NAMES = Object.keys(LEARNED);
/** The name that `lib:plain` had before. */
const FORMER = 'lib:former';

let bed: GatewayBed;
let count = 0;

before(async () => {
  const mcpServers = Object.fromEntries(
    Object.entries(SERVERS).map(([name, tools]) => [name, rightsServer(name, tools)]),
  );
  bed = await openGatewayBed({ mcpServers });
  const user = await bed.connect();
  for (const name of ['lib:plain', 'lib:alpha', 'lib:gamma', 'lib:nested']) {
    const { structuredContent } = await user.execute({
      name: name === 'lib:plain' ? FORMER : name,
      intent: `the ${name.split(':')[1]} procedure`,
      code: LEARNED[name]?.code,
    });
    assert.equal(structuredContent.status, 'success', JSON.stringify(structuredContent));
  }
  await user.call('cap_rename', { name: FORMER, new_name: 'lib:plain' });
});
after(() => bed.close());

interface RandomAgent {
  servers: Record<string, { tools?: string[] }>;
  capabilities: { names?: string[] } | undefined;
}

const randomServer = (name: string) =>
  fc.oneof(
    fc.constant(undefined),
    fc.constant({}),
    fc.subarray(SERVERS[name] ?? []).map((tools) => ({ tools })),
  );
const randomAgent: fc.Arbitrary<RandomAgent> = fc.record({
  servers: fc
    .tuple(...Object.keys(SERVERS).map((name) => randomServer(name).map((entry) => [name, entry] as const)))
    .map(
      (all) => Object.fromEntries(all.filter(([, entry]) => entry !== undefined)) as RandomAgent['servers'],
    ),
  capabilities: fc.oneof(
    fc.constant(undefined),
    fc.constant({}),
    fc
      .subarray([...NAMES.filter((name) => name !== 'lib:plain'), FORMER, 'lib:nobody'])
      .map((names) => ({ names })),
  ),
});

function objectOf({
  servers,
  capabilities,
}: RandomAgent): Record<string, { tools?: string[]; names?: string[] }> {
  return { ...servers, ...(capabilities && { capabilities }) };
}

/** What the agent may use, worked out from its capabilities object by hand. */
function expected({ servers, capabilities }: RandomAgent) {
  const tools = TOOLS.filter((name) => {
    const [server = '', tool = ''] = name.split(':');
    return servers[server] !== undefined && (servers[server].tools?.includes(tool) ?? true);
  });
  const named = capabilities?.names?.map((name) => (name === FORMER ? 'lib:plain' : name));
  const learned = capabilities ? NAMES.filter((name) => named?.includes(name) ?? true) : [];
  return { tools: new Set(tools), learned: new Set(learned) };
}

/** Code that tries every name in every way that code can compute it. Returns those that it reached. */
const TRY_ALL = `
  const ways = {
    member: (server, tool) => mcp[server][tool]({}),
    whole: (server, tool) => mcp[server + ':' + tool]({}),
    call: (server, tool) => mcp.call(server + ':' + tool, {}),
  };
  const reached = { keys: [], member: [], whole: [], call: [] };
  for (const server of Object.keys(mcp)) for (const tool of Object.keys(mcp[server])) reached.keys.push(server + ':' + tool);
  for (const [way, act] of Object.entries(ways))
    for (const name of args.names) {
      const [server, tool] = name.split(':');
      // A name that does not exist may find the tool that is spelt alike, so the answer says which one it was.
      try { const one = await act(server, tool); reached[way].push(one?.server ? one.server + ':' + one.tool : name); }
      catch (error) { if (!String(error).includes('There is no tool or capability "' + name + '"')) reached[way].push(name); }
    }
  const { capabilities } = await pml.query({ limit: 50 });
  return { ...reached, registry: capabilities.map(({ name }) => name) };`;

async function reachedByCode(client: AgentClient): Promise<Record<string, string[]>> {
  const answer = await client.execute({
    code: TRY_ALL,
    args: { names: [...TOOLS, ...NAMES] },
    options: { remember: false },
  });
  assert.equal(answer.structuredContent.status, 'success', JSON.stringify(answer));
  return answer.structuredContent.result;
}

/** Those that the client lists: tools as `server:tool`, capabilities by name. */
async function listed(client: AgentClient): Promise<string[]> {
  const { tools } = await client.request('tools/list');
  return tools.flatMap(({ name, title, description }: Loose) => {
    if (/^(pml|cap)_/.test(name)) return [];
    const [, tool, server] = /^(\S+) by (\S+)$/.exec(description) ?? [];
    return [tool === undefined ? title : `${server}:${tool}`];
  });
}

async function callable(client: AgentClient): Promise<string[]> {
  const answers = await Promise.all(
    [...TOOLS, ...NAMES].map(async (name) => [name, await client.call(name)] as const),
  );
  return answers.flatMap(([name, { error, isError, structuredContent }]) => {
    if (error || structuredContent?.error?.code === 'capability_not_found') return [];
    const { server, tool } = isError ? {} : (structuredContent ?? {});
    return [server ? `${server}:${tool}` : name];
  });
}

const sorted = (names: Iterable<string> | undefined) => [...new Set(names)].sort();

/** All that is found by server, and by the words of each tool and capability. */
async function discovered(client: AgentClient): Promise<Set<string>> {
  const found = new Set<string>();
  for (const server of Object.keys(SERVERS)) {
    const { structuredContent } = await client.call('pml_discover', { server, limit: 50 });
    for (const { name } of structuredContent.results ?? []) found.add(name);
  }
  const words = [
    ...TOOLS.map((name) => name.replace(/(.*):(.*)/, '$2 by $1')),
    ...NAMES.map((name) => `the ${name.slice(4)} procedure`),
  ];
  for (let at = 0; at < words.length; at += 8) {
    const intents = words.slice(at, at + 8);
    const { structuredContent } = await client.call('pml_discover', { intents, limit: 50 });
    for (const { name } of structuredContent.results) found.add(name);
  }
  return found;
}

test('what is listed, called, found and reached from code is what the capabilities object says', async () => {
  await fc.assert(
    fc.asyncProperty(randomAgent, async (agent) => {
      const name = `agent${count++}`;
      bed.declare(name, objectOf(agent));
      const { tools, learned } = expected(agent);
      const all = sorted([...tools, ...learned]);
      const client = await bed.connect({ agent: name });
      try {
        assert.deepEqual(sorted(await callable(client)), all);
        const code = await reachedByCode(client);
        assert.deepEqual(sorted(code.keys), sorted(tools));
        for (const way of ['member', 'whole', 'call']) assert.deepEqual(sorted(code[way]), all, way);
        assert.deepEqual(sorted(code.registry), sorted(learned));
        for (const one of await listed(client)) assert.ok(all.includes(one), one);
        const byName = new Map(
          (await client.request('tools/list')).tools.map((tool: Loose) => [tool.name, tool.description]),
        );
        const found = [...(await discovered(client))].map((one) => {
          const [, tool, server] = /^(\S+) by (\S+)$/.exec(String(byName.get(one) ?? '')) ?? [];
          return tool === undefined ? one : `${server}:${tool}`;
        });
        assert.deepEqual(sorted(found), all);
        assertResolved(name, agent, tools);
      } finally {
        await client.close();
      }
    }),
    { ...runs(30), endOnFailure: true },
  );
});

/** The registry of agents' capabilities says the same. */
function assertResolved(name: string, agent: RandomAgent, tools: ReadonlySet<string>): void {
  const { agentCapabilities } = bed.gateway.workspace;
  const capabilities = objectOf(agent);
  const context = { agentDir: '', workspaceDir: '', callbacks: {}, agent: { name, capabilities } };
  const thread = { id: '', agent: name, createdAt: new Date() };
  const { mcpServers } = agentCapabilities.resolve(capabilities, { ...context, thread });
  assert.deepEqual(Object.keys(mcpServers).sort(), Object.keys(agent.servers).sort());
  const { checked } = agentCapabilities.check(capabilities);
  const resolved = [...checked].flatMap(([key, { config }]) =>
    key === 'capabilities' ? [] : config.tools.map((tool) => `${key}:${tool}`),
  );
  assert.deepEqual(resolved.sort(), [...tools].sort());
}

test('code that names its tools, and capabilities of others, run with the rights of the caller', async () => {
  bed.declare('beta', { beta: {}, capabilities: {} });
  const client = await bed.connect({ agent: 'beta' });
  const { structuredContent: refused } = await client.execute({ code: 'return await mcp.alpha.read({})' });
  assert.equal(refused.error.code, 'tool_not_found');
  const { structuredContent: nested } = await client.execute({ capability: 'lib:nested' });
  assert.match(nested.error.message, /There is no tool or capability "gamma:query"/);
  bed.declare('nested', { gamma: {}, capabilities: { names: ['lib:nested'] } });
  const inner = await (await bed.connect({ agent: 'nested' })).execute({ capability: 'lib:nested' });
  assert.match(inner.structuredContent.error.message, /There is no tool or capability "hidden:capability"/);
  bed.declare('both', { gamma: {}, capabilities: { names: ['lib:nested', 'lib:gamma'] } });
  const done = await (await bed.connect({ agent: 'both' })).execute({ capability: 'lib:nested' });
  assert.deepEqual(done.structuredContent.result, { nested: { at: { server: 'gamma', tool: 'query' } } });
});

test('two agents in one process, thousands of calls interleaved: never each other’s rights', async () => {
  bed.declare('left', { alpha: {}, gamma: { tools: [] }, capabilities: { names: ['lib:alpha'] } });
  bed.declare('right', { beta: { tools: ['read'] }, gamma: {}, capabilities: { names: ['lib:gamma'] } });
  const may = {
    left: ['alpha:read', 'alpha:write', 'alpha:x.y', 'alpha:x_y', 'lib:alpha'],
    right: ['beta:read', 'gamma:query', 'lib:gamma'],
  };
  const clients = {
    left: await bed.connect({ agent: 'left' }),
    right: await bed.connect({ agent: 'right' }),
  };
  const plain = [...TOOLS.filter((name) => !name.startsWith('delta'))];
  const rounds = times(500);
  for (let round = 0; round < rounds; round++) {
    const calls = (['left', 'right'] as const).flatMap((agent) =>
      [...plain, ...(round % 10 === 0 ? ['lib:alpha', 'lib:gamma'] : [])].map(async (name) => {
        const args = name.startsWith('lib:') ? {} : { n: round };
        const { error, structuredContent } = await clients[agent].call(name, args);
        const isDenied = error !== undefined || structuredContent?.error !== undefined;
        assert.equal(
          !isDenied,
          may[agent].includes(name),
          `${agent} ${name} ${JSON.stringify(structuredContent)}`,
        );
      }),
    );
    await Promise.all(calls);
  }
});
