/** Each test is named after the promise of the registry that it keeps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../testing/effort.ts';
import { AgentCapabilityRegistry } from './agent-capability-registry.ts';
import type { CapabilityConfig, CapabilityResolver, ResolvedConfig, ResolverContext } from './types.ts';

const context: ResolverContext = {
  agentDir: '/agents/a',
  workspaceDir: '/work',
  thread: { id: 't', agent: 'a', createdAt: new Date(0) },
  callbacks: {},
  agent: { name: 'a', capabilities: {} },
};

const tool = (key: string) => ({ key, name: key.toUpperCase(), description: `Does ${key}.` });

/** A resolver that notes what it was given. */
function audio(over: Partial<CapabilityResolver> = {}) {
  const received: { context: ResolverContext; config: ResolvedConfig }[] = [];
  const resolver: CapabilityResolver = {
    key: 'audio',
    tools: ['transcribe', 'speak', 'mix'].map(tool),
    configSchema: {
      type: 'object',
      properties: {
        dirs: { type: 'array', items: { type: 'string' } },
        rate: { type: 'integer', minimum: 1, default: 44 },
      },
      additionalProperties: false,
    },
    resolve: (given, config) => {
      received.push({ context: given, config });
      return { mcpServer: { command: 'audio-server', args: config.tools } };
    },
    ...over,
  };
  return { resolver, received };
}

function registryOf(...resolvers: CapabilityResolver[]): AgentCapabilityRegistry {
  const registry = new AgentCapabilityRegistry();
  for (const resolver of resolvers) registry.register(resolver);
  return registry;
}

/** The message of what resolving throws. */
function failure(registry: AgentCapabilityRegistry, capabilities: unknown): string {
  let message: string | undefined;
  try {
    registry.resolve(capabilities as Record<string, CapabilityConfig>, context);
  } catch (error) {
    message = (error as Error).message;
  }
  assert.ok(message !== undefined, 'resolving should fail');
  return message;
}

test('resolve() iterates the capabilities object and collects the results', () => {
  const [one, two] = [audio(), audio({ key: 'video' })];
  const { mcpServers } = registryOf(one.resolver, two.resolver).resolve({ audio: {}, video: {} }, context);
  assert.deepEqual(Object.keys(mcpServers), ['audio', 'video']);
});

test('if a capability is not listed, the agent does not have it: no implicit inclusion', () => {
  const [one, two] = [audio(), audio({ key: 'video' })];
  const { mcpServers } = registryOf(one.resolver, two.resolver).resolve({ audio: {} }, context);
  assert.deepEqual(Object.keys(mcpServers), ['audio']);
  assert.equal(two.received.length, 0);
});

test('when `tools` is omitted, all tools are available', () => {
  const { resolver, received } = audio();
  registryOf(resolver).resolve({ audio: {} }, context);
  assert.deepEqual(received[0]?.config.tools, ['transcribe', 'speak', 'mix']);
});

test('if `tools` is specified, only those tools are available: the resolver gets the validated list', () => {
  const { resolver, received } = audio();
  const { mcpServers } = registryOf(resolver).resolve({ audio: { tools: ['mix', 'speak', 'mix'] } }, context);
  assert.deepEqual(received[0]?.config.tools, ['mix', 'speak']);
  assert.deepEqual(mcpServers.audio, { command: 'audio-server', args: ['mix', 'speak'] });
});

test('`tools: []` means none', () => {
  const { resolver, received } = audio();
  registryOf(resolver).resolve({ audio: { tools: [] } }, context);
  assert.deepEqual(received[0]?.config.tools, []);
});

test('`tools` is stripped before the config is passed: the resolver receives the rest as it is, with defaults', () => {
  const { resolver, received } = audio();
  const config = { dirs: ['/data/reports'], tools: ['mix'] };
  registryOf(resolver).resolve({ audio: config }, context);
  assert.deepEqual(received[0]?.config, { dirs: ['/data/reports'], rate: 44, tools: ['mix'] });
  // A copy: a resolver that changes what it gets changes nobody's config.
  received[0]?.config.tools.push('speak');
  assert.deepEqual(config, { dirs: ['/data/reports'], tools: ['mix'] });
});

test('unknown tool names are an error, with the nearest name or the whole list', () => {
  const registry = registryOf(audio().resolver);
  assert.equal(
    failure(registry, { audio: { tools: ['transcrib', 'zzz'] } }),
    `The capabilities of agent "a" cannot be resolved:
  capabilities.audio.tools[0]: unknown tool "transcrib"; did you mean "transcribe"?
  capabilities.audio.tools[1]: unknown tool "zzz"; "audio" has transcribe, speak, mix`,
  );
});

test('this is an allowlist: no wildcards, and the message says why', () => {
  const registry = registryOf(audio().resolver);
  for (const pattern of ['*', 'trans*', 'mi?'])
    assert.match(
      failure(registry, { audio: { tools: [pattern] } }),
      /looks like a wildcard.*never gets a tool that nobody chose/,
    );
});

test('no disallowedTools: a key that the schema does not know is an error', () => {
  const message = failure(registryOf(audio().resolver), { audio: { disallowedTools: ['mix'] } });
  assert.match(message, /capabilities\.audio\.disallowedTools: unknown key; the keys are dirs, rate, tools/);
});

test('unknown capabilities are an error', () => {
  const registry = registryOf(audio().resolver);
  assert.match(
    failure(registry, { audoi: {} }),
    /capabilities\.audoi: unknown capability; did you mean "audio"\?/,
  );
  assert.match(failure(registry, { toString: {} }), /unknown capability; known are audio/);
  assert.match(failure(registry, JSON.parse('{"__proto__": {}}')), /unknown capability/);
  assert.match(failure(registryOf(), { x: {} }), /none is registered/);
});

test('the config of a capability is validated by its configSchema, with the path', () => {
  const message = failure(registryOf(audio().resolver), { audio: { dirs: ['a', 5], rate: 0, dir: 1 } });
  assert.deepEqual(message.split('\n').slice(1), [
    '  capabilities.audio.dir: unknown key; did you mean "dirs"?',
    '  capabilities.audio.dirs[1]: expected string, got number 5',
    '  capabilities.audio.rate: must be >= 1, got number 0',
  ]);
});

test('one error lists every problem of all keys at once', () => {
  const [one, two] = [
    audio(),
    audio({
      key: 'video',
      resolve: () => {
        throw new Error('no camera');
      },
    }),
  ];
  const message = failure(registryOf(one.resolver, two.resolver), {
    audio: { tools: ['mx', 7], rate: 'fast' },
    video: {},
    vido: {},
    list: [],
  });
  assert.equal(message.split('\n').length, 7, message);
  for (const part of [
    '"mx"; did you mean "mix"',
    'number 7',
    'rate: expected integer',
    'vido: unknown capability',
    'no camera',
  ])
    assert.ok(message.includes(part), `${part} in ${message}`);
});

test('a resolver can return null to skip', () => {
  const { mcpServers } = registryOf(audio({ resolve: () => null }).resolver).resolve({ audio: {} }, context);
  assert.deepEqual(mcpServers, {});
});

test('a resolver that throws, or returns garbage or a promise, is one named problem', () => {
  const answers: unknown[] = [
    ...[
      undefined,
      {},
      5,
      'x',
      [],
      { mcpServer: null },
      { mcpServer: { command: '' } },
      { mcpServer: { args: [] } },
    ],
    ...[
      { mcpServer: { command: 'x', args: [1] } },
      { mcpServer: { type: 'http', url: 'no url' } },
      { mcpServer: { type: 'sdk' } },
    ],
    ...[Promise.resolve({ mcpServer: { command: 'x' } }), Promise.reject(new Error('late'))],
  ];
  for (const answer of answers) {
    const { resolver } = audio({ resolve: () => answer as never });
    const [, ...lines] = failure(registryOf(resolver), { audio: {} }).split('\n');
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /^ {2}capabilities\.audio: its resolver returned/);
  }
  const throwing = audio({
    resolve: () => {
      throw 'not even an error';
    },
  });
  assert.match(
    failure(registryOf(throwing.resolver), { audio: {} }),
    /audio: its resolver failed: not even an error/,
  );
});

test('a capabilities object of the wrong type is an error, not a crash', () => {
  const registry = registryOf(audio().resolver);
  for (const wrong of [
    null,
    undefined,
    5,
    'audio',
    ['audio'],
    { audio: null },
    { audio: true },
    { audio: [] },
  ])
    assert.match(failure(registry, wrong), /expected object, got/);
  assert.match(
    failure(registry, { audio: { tools: 'mix' } }),
    /tools: expected an array of tool names, got string "mix"/,
  );
  assert.match(failure(registry, { audio: { rate: () => 1 } }), /audio: cannot be checked/);
});

test('all resolvers receive the same context, and none a channel', () => {
  const [one, two] = [audio(), audio({ key: 'video' })];
  registryOf(one.resolver, two.resolver).resolve({ audio: {}, video: {} }, context);
  assert.equal(one.received[0]?.context, context);
  assert.equal(two.received[0]?.context, context);
  assert.deepEqual(Object.keys(context).sort(), ['agent', 'agentDir', 'callbacks', 'thread', 'workspaceDir']);
});

test('the registry enumerates all tools across all capabilities without starting anything', () => {
  const { resolver, received } = audio();
  const registry = registryOf(resolver, { key: 'video', tools: [], resolve: () => null });
  const [first, second] = registry.knownCapabilities();
  assert.deepEqual(first, { key: 'audio', tools: resolver.tools, configSchema: resolver.configSchema });
  assert.deepEqual(second, { key: 'video', tools: [] });
  assert.equal(received.length, 0);
  first?.tools.pop();
  assert.equal(resolver.tools.length, 3);
});

test('registering a new resolver makes that capability available: no other code changes needed', () => {
  const registry = registryOf();
  assert.match(failure(registry, { audio: {} }), /unknown capability/);
  registry.register(audio().resolver);
  assert.deepEqual(Object.keys(registry.resolve({ audio: {} }, context).mcpServers), ['audio']);
});

test('two resolvers with the same key are refused, and so is garbage', () => {
  const registry = registryOf(audio().resolver);
  assert.throws(() => registry.register(audio().resolver), /a resolver for the capability "audio" already/);
  const garbage: unknown[] = [
    ...[null, 5, {}, { key: '' }, { key: 'x' }, { key: 'x', tools: [], resolve: 5 }],
    ...[
      { key: 'x', tools: {}, resolve: () => null },
      { key: 'x', tools: ['a'], resolve: () => null },
    ],
    { key: 'x', tools: [], configSchema: [], resolve: () => null },
  ];
  for (const one of garbage)
    assert.throws(() => registry.register(one as CapabilityResolver), /^PmlError: The capability resolver/);
});

test('a broken configSchema is a named problem of its capability', () => {
  const broken = audio({ configSchema: { type: 'strng' } });
  assert.match(failure(registryOf(broken.resolver), { audio: {} }), /audio: has a broken configSchema/);
});

test('a resolver without configSchema takes any config', () => {
  const { resolver, received } = audio();
  const { configSchema, ...plain } = resolver;
  registryOf(plain).resolve({ audio: { anything: [1] } }, context);
  assert.deepEqual(received[0]?.config.anything, [1]);
});

test('CapabilityRegistry.instance() is one registry for the whole program', () => {
  assert.equal(AgentCapabilityRegistry.instance(), AgentCapabilityRegistry.instance());
});

test('for any tools and any list, exactly the declared tools that are listed get through', () => {
  const name = fc.oneof(
    fc.constantFrom('a', 'b', 'c', 'A', 'a*', '__proto__', 'constructor', ''),
    fc.string(),
  );
  const item = fc.oneof({ weight: 9, arbitrary: name }, fc.jsonValue());
  fc.assert(
    fc.property(fc.uniqueArray(name.filter(Boolean)), fc.array(item), (declared, given) => {
      const { problems, checked } = registryOf(audio({ tools: declared.map(tool) }).resolver).check({
        audio: { tools: given },
      });
      const wrong = given.filter((one) => !declared.includes(one as string));
      assert.equal(problems.length, wrong.length);
      if (wrong.length === 0) assert.deepEqual(checked.get('audio')?.config.tools, [...new Set(given)]);
      else assert.equal(checked.size, 0);
    }),
    runs(500),
  );
});

test('for any JSON at all, check reports problems and never throws', () => {
  const key = fc.constantFrom('audio', 'tools', 'dirs', 'rate', 'video');
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 2 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.dictionary(key, tie('tree')),
      fc.array(tie('tree')),
    ),
  }));
  const registry = registryOf(audio().resolver);
  fc.assert(
    fc.property(tree, (value) => {
      const { problems, checked } = registry.check(value);
      for (const { text } of problems) assert.ok(text.length < 1000);
      for (const { config } of checked.values())
        for (const one of config.tools) assert.ok(['transcribe', 'speak', 'mix'].includes(one));
    }),
    runs(200),
  );
});
