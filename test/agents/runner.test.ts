/** `AgentRunner`: the sentences of the document "CapabilityRegistry" about it and about run-time injections. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  AgentCapabilityRegistry,
  type AgentConfig,
  type CapabilityResolver,
  type McpServerConfig,
  type ResolvedConfig,
  type ResolverContext,
} from '../../src/access/agents/index.ts';
import { AgentRunner, type Engine, resolveInjections } from '../../src/agents/index.ts';

/** A third party's resolver, which notes what it receives. */
function resolverOf(key: string, tools: string[], server: McpServerConfig | null = { command: key }) {
  const received: { context: ResolverContext; config: ResolvedConfig }[] = [];
  const resolver: CapabilityResolver = {
    key,
    tools: tools.map((tool) => ({ key: tool, name: tool, description: '' })),
    resolve: (context, config) => {
      received.push({ context, config });
      return server && { mcpServer: server };
    },
  };
  return { resolver, received };
}

/** A third party's engine, which notes what it is handed. */
function engineOf() {
  const handed: Parameters<Engine['run']>[] = [];
  const engine: Engine = {
    run: async (...args) => {
      handed.push(args);
      args[3].onText?.('Done.');
      return { text: 'Done.', reason: 'done', steps: 1, usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
  return { engine, handed };
}

function setUp(...resolvers: CapabilityResolver[]) {
  const registry = new AgentCapabilityRegistry();
  for (const resolver of resolvers) registry.register(resolver);
  const { engine, handed } = engineOf();
  const runner = new AgentRunner({
    registry,
    engine,
    threads: { open: async (agent, id) => ({ id: id ?? 'new', agent, createdAt: new Date(0) }) },
    resolveInjections: (context) => resolveInjections(context, { configFile: '/w/pml.json' }),
    agentDir: '/home/agents/analyst',
    workspaceDir: '/w',
  });
  const run = (capabilities: AgentConfig['capabilities'], more: Partial<AgentConfig> = {}, options = {}) =>
    runner.run({ name: 'analyst', capabilities, ...more }, 'Hello', options);
  return { registry, handed, run };
}

test('"It asks CapabilityRegistry to resolve the agent\'s capabilities and passes the result to the engine."', async () => {
  const audio = resolverOf('audio', ['transcribe', 'speak']);
  const remote = resolverOf('remote', ['ask'], { type: 'http', url: 'http://127.0.0.1:1/mcp' });
  const { run, handed } = setUp(audio.resolver, remote.resolver);
  const texts: string[] = [];
  const callbacks = { onText: (text: string) => texts.push(text) };
  const abortController = new AbortController();
  const result = await run(
    { audio: { tools: ['transcribe'] }, remote: {} },
    { systemPrompt: 'You listen.', model: 'haiku' },
    { thread: 't1', callbacks, abortController, overrides: { maxSteps: 3, model: 'sonnet' } },
  );
  assert.equal(result.text, 'Done.');
  assert.deepEqual(texts, ['Done.']);
  const [message, options, sessionId, passed, controller] = handed[0] as Parameters<Engine['run']>;
  assert.equal(message, 'Hello');
  assert.equal(sessionId, 't1');
  assert.equal(passed, callbacks);
  assert.equal(controller, abortController);
  const { mcpServers, ...rest } = options;
  assert.deepEqual(rest, { systemPrompt: 'You listen.', model: 'sonnet', maxSteps: 3 });
  assert.deepEqual(mcpServers.audio, { command: 'audio' });
  assert.deepEqual(mcpServers.remote, { type: 'http', url: 'http://127.0.0.1:1/mcp' });
  assert.deepEqual(Object.keys(mcpServers), ['audio', 'remote', 'pml']);
});

test('"All resolvers receive the same context.", and "No capability resolver receives a channel parameter."', async () => {
  const [one, two] = [resolverOf('one', ['a']), resolverOf('two', ['b'])];
  const { run } = setUp(one.resolver, two.resolver);
  await run({ one: {}, two: {} }, {}, { thread: 't1' });
  const [first, second] = [one, two].map(({ received }) => received[0]?.context);
  assert.deepEqual(first, second);
  assert.deepEqual(Object.keys(first as object).sort(), [
    'agent',
    'agentDir',
    'callbacks',
    'thread',
    'workspaceDir',
  ]);
  assert.deepEqual(first?.thread, { id: 't1', agent: 'analyst', createdAt: new Date(0) });
});

test('"AgentRunner contains zero MCP wiring knowledge."', () => {
  const source = readFileSync(new URL('../../src/agents/agent-runner.ts', import.meta.url), 'utf8');
  const imports = Array.from(source.matchAll(/from '([^']+)'/g), ([, from]) => from);
  assert.deepEqual(imports, [
    '../access/agents/index.ts',
    '../errors.ts',
    './engine/engine.ts',
    './threads/index.ts',
  ]);
  assert.doesNotMatch(source, /new Client|spawn|command:|listTools|callTool/);
});

test('run-time injections are "never listed in agent config, and not togglable"', async () => {
  const { run, handed } = setUp();
  await run({});
  assert.deepEqual(Object.keys(handed[0]?.[1].mcpServers ?? {}), ['pml']);
  const server = handed[0]?.[1].mcpServers.pml as { args: string[] } | undefined;
  assert.deepEqual(server?.args.slice(1), [
    ...['serve', '--agent', 'analyst', '--capability', 'pml'],
    ...['--config', '/w/pml.json'],
  ]);
  for (const config of [{}, { tools: [] }])
    await assert.rejects(run({ pml: config }), /capabilities\.pml: unknown capability/);
  assert.equal(handed.length, 1);
});

test('run-time injections "are not registered in CapabilityRegistry"', async () => {
  const { registry, run, handed } = setUp(resolverOf('audio', ['speak']).resolver);
  await run({ audio: {} });
  assert.deepEqual(
    registry.knownCapabilities().map(({ key }) => key),
    ['audio'],
  );
  assert.ok('pml' in (handed[0]?.[1].mcpServers ?? {}));
});

test('"Run-time injections are added after capability resolution.", and take the place of no capability', async () => {
  const { run, handed } = setUp(resolverOf('pml', ['x']).resolver, resolverOf('audio', ['speak']).resolver);
  await assert.rejects(run({ pml: {} }), /PML adds the server "pml" to every agent/);
  // Without a resolution there is nothing to add to.
  await assert.rejects(run({ audio: { tools: ['sing'] } }), /unknown tool "sing"/);
  assert.equal(handed.length, 0);
});

test('"A resolver can return null to skip": the engine gets the other servers', async () => {
  const { run, handed } = setUp(
    resolverOf('gone', ['a'], null).resolver,
    resolverOf('there', ['b']).resolver,
  );
  await run({ gone: {}, there: {} });
  assert.deepEqual(Object.keys(handed[0]?.[1].mcpServers ?? {}), ['there', 'pml']);
});
