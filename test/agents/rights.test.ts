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

const SERVER_NAMES = ['alpha', 'beta', 'gamma', 'delta-2', 'delta_2'];
/** Names that are one name once they are listed, or once they are spelt loosely, are among them and among the servers. */
const TOOL_NAMES = ['read', 'write', 'drop', 'query', 'scan', 'x.y', 'x_y'];
const WORDS = ['plain', 'amber', 'gravel', 'nectar', 'pivot', 'quartz'];
/** How long a run may take. */
const RUN_MS = 300_000;
/** The name that the first capability had before. */
const FORMER = 'lib:former';

/** Tools by server, and what each capability calls: tools, and capabilities before it. */
interface World {
  servers: Record<string, string[]>;
  learned: Record<string, string[]>;
}

const randomWorld: fc.Arbitrary<World> = fc
  .tuple(...SERVER_NAMES.map(() => fc.subarray(TOOL_NAMES, { minLength: 1 })))
  .chain((lists) => {
    const servers = Object.fromEntries(SERVER_NAMES.map((name, at) => [name, lists[at] as string[]]));
    const tools = plainTools(servers);
    const callees = WORDS.map((_, at) => [...tools, ...WORDS.slice(0, at).map((word) => `lib:${word}`)]);
    const some = (all: string[]) => fc.subarray(all, { maxLength: Math.min(2, all.length) });
    return fc.tuple(...callees.map(some)).map((calls) => ({
      servers,
      learned: Object.fromEntries(
        WORDS.map((word, at) => [`lib:${word}`, at === 0 ? [] : (calls[at] as string[])]),
      ),
    }));
  });

/** The tools that nothing else is spelt like. */
function plainTools(servers: World['servers']): string[] {
  return toolsOf(servers).filter((name) => !/^delta|:x.y$/.test(name));
}

function toolsOf(servers: World['servers']): string[] {
  return Object.entries(servers).flatMap(([server, tools]) => tools.map((tool) => `${server}:${tool}`));
}

const seed = Number(process.env.PML_SEED || Date.now() % 2 ** 31);
const [{ servers: SERVERS, learned: LEARNED } = { servers: {}, learned: {} }] = fc.sample(randomWorld, {
  seed,
  numRuns: 1,
});
const TOOLS = toolsOf(SERVERS);
const NAMES: string[] = [];

let bed: GatewayBed;
let count = 0;

before(async () => {
  const mcpServers = Object.fromEntries(
    Object.entries(SERVERS).map(([name, tools]) => [name, rightsServer(name, tools)]),
  );
  // One run makes hundreds of calls, which takes a busy machine a while.
  bed = await openGatewayBed({ mcpServers, sandbox: { timeoutMs: RUN_MS } });
  const user = await bed.connect();
  for (const [name, calls] of Object.entries(LEARNED)) {
    // Code that calls a capability which was not kept apart cannot be learned either.
    if (calls.some((callee) => callee.startsWith('lib:') && !NAMES.includes(callee))) continue;
    const word = name.slice('lib:'.length);
    const inner = calls.map((callee) => `await mcp[${JSON.stringify(callee)}]({})`);
    const code = `return { ${word}: [${[...inner, '1'].join(', ')}].length }`;
    const given = NAMES.length === 0 ? FORMER : name;
    const { structuredContent } = await user.execute({ name: given, intent: `the ${word} procedure`, code });
    assert.equal(structuredContent.status, 'success', JSON.stringify(structuredContent));
    // Of two that are one procedure, the first is kept.
    if (structuredContent.capabilityName === given) NAMES.push(name);
    if (given === FORMER) await user.call('cap_rename', { name: FORMER, new_name: name });
  }
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
      .subarray([...WORDS.slice(1).map((word) => `lib:${word}`), FORMER, 'lib:nobody'])
      .map((names) => ({ names })),
  ),
});

function objectOf({
  servers,
  capabilities,
}: RandomAgent): Record<string, { tools?: string[]; names?: string[] }> {
  return { ...servers, ...(capabilities && { capabilities }) };
}

/** Works out by hand, from its capabilities object, everything that the agent may use. */
function expected({ servers, capabilities }: RandomAgent) {
  const tools = TOOLS.filter((name) => {
    const [server = '', tool = ''] = name.split(':');
    return servers[server] !== undefined && (servers[server].tools?.includes(tool) ?? true);
  });
  const named = capabilities?.names?.map((name) => (name === FORMER ? (NAMES[0] as string) : name));
  const learned = capabilities ? NAMES.filter((name) => named?.includes(name) ?? true) : [];
  return { tools: new Set(tools), learned: new Set(learned) };
}

/** Ways to write a call. */
const WAYS: readonly ((server: string, tool: string) => string)[] = [
  (server, tool) => `mcp.${server}.${tool}({})`,
  (server, tool) => `mcp["${server}:${tool}"]({})`,
  (server, tool) => `mcp.call("${server}:${tool}", {})`,
  (server, tool) => `(() => { const { ${tool}: act } = mcp.${server}; return act({}); })()`,
  (server, tool) => `mcp[["${server}"].join("")][["${tool}"].join("")]({})`,
];
const randomPrograms = fc.array(
  fc.array(fc.tuple(fc.nat(), fc.nat({ max: WAYS.length - 1 })), { minLength: 1, maxLength: 3 }),
  { minLength: 2, maxLength: 2 },
);

/** Runs programs that call some tools and capabilities: they succeed exactly if the agent may use all of these, at all depths. */
async function assertPrograms(
  client: AgentClient,
  programs: readonly (readonly [number, number][])[],
  allowed: ReadonlySet<string>,
): Promise<void> {
  const names = [...plainTools(SERVERS), ...NAMES];
  const mayRun = (name: string): boolean => allowed.has(name) && (LEARNED[name] ?? []).every(mayRun);
  for (const program of programs) {
    const called = program.map(([at]) => names[at % names.length] as string);
    const calls = program.map(([, way], at) => {
      const [server = '', tool = ''] = (called[at] as string).split(':');
      return `out.push(await ${WAYS[way]?.(server, tool)});`;
    });
    const code = `const out = []; ${calls.join(' ')} return out.length;`;
    const { structuredContent } = await client.execute({ code, options: { remember: false } });
    assert.equal(
      structuredContent.status === 'success',
      called.every(mayRun),
      `${code} ${JSON.stringify(structuredContent)}`,
    );
  }
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
      catch (error) { if (!String(error).includes('There is no tool or capability "' + name + '"') && !String(error).includes('could mean')) reached[way].push(name); }
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
    for (const { name } of await searchAll(client, intents)) found.add(name);
  }
  return found;
}

/** Searches until all capabilities are indexed, which takes a busy machine a while. */
async function searchAll(client: AgentClient, intents: readonly string[]): Promise<Loose[]> {
  const { structuredContent } = await client.call('pml_discover', { intents, limit: 50 });
  const { results, message = '' } = structuredContent;
  return message.includes('indexed yet') ? searchAll(client, intents) : results;
}

test('what is listed, called, found and reached from code is what the capabilities object says', async (t) => {
  t.diagnostic(`PML_SEED=${seed} makes these servers and capabilities`);
  await fc.assert(
    fc.asyncProperty(randomAgent, randomPrograms, async (agent, programs) => {
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
        await assertPrograms(client, programs, new Set(all));
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

test('two agents in one process, thousands of calls interleaved: never each other’s rights', async () => {
  const [one = '', two = ''] = NAMES;
  bed.declare('left', { alpha: {}, gamma: { tools: [] }, capabilities: { names: [one] } });
  bed.declare('right', { beta: {}, gamma: {}, capabilities: { names: [two] } });
  const may = {
    left: [...TOOLS.filter((name) => name.startsWith('alpha:')), one],
    right: [...TOOLS.filter((name) => /^(beta|gamma):/.test(name))],
  };
  const clients = {
    left: await bed.connect({ agent: 'left' }),
    right: await bed.connect({ agent: 'right' }),
  };
  const plain = plainTools(SERVERS);
  const rounds = times(500);
  for (let round = 0; round < rounds; round++) {
    const calls = (['left', 'right'] as const).flatMap((agent) =>
      [...plain, ...(round % 10 === 0 ? [one] : [])].map(async (name) => {
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
