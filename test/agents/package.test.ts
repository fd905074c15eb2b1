import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildRegistry } from '../../src/access/agents/index.ts';
import { CHANGING_TOOLS } from '../../src/access/resolvers/capabilities-resolver.ts';
import { jsonSchema } from '../../src/config/file-schema.ts';
import { PML_TOOLS } from '../../src/gateway/tools/index.ts';
import {
  AgentCapabilityRegistry,
  builtInResolvers,
  type CapabilityResolver,
  type ResolverContext,
} from '../../src/index.ts';

const audio: CapabilityResolver = {
  key: 'audio',
  tools: [{ key: 'transcribe', name: 'Transcribe Audio', description: 'Writes down what is said.' }],
  configSchema: { type: 'object', properties: { rate: { type: 'integer' } }, additionalProperties: false },
  resolve: (_, { tools }) => ({ mcpServer: { command: 'audio-server', args: tools } }),
};

const context: ResolverContext = {
  agentDir: '/agents/a',
  workspaceDir: '/work',
  thread: { id: 't', agent: 'analyst', createdAt: new Date(0) },
  callbacks: {},
  agent: { name: 'analyst', capabilities: {} },
};

test('the package exports the registry: the example of the document resolves as it is written there', () => {
  const registry = AgentCapabilityRegistry.instance();
  for (const resolver of builtInResolvers({ configFile: '/work/pml.json' })) registry.register(resolver);
  registry.register(audio);
  const { mcpServers } = registry.resolve(
    {
      memory: {},
      history: {},
      tasks: {},
      audio: { tools: ['transcribe'] },
      files: { dirs: ['/data/reports'], tools: ['read_file'] },
    },
    context,
  );
  assert.deepEqual(Object.keys(mcpServers), ['memory', 'history', 'tasks', 'audio', 'files']);
  assert.deepEqual(mcpServers.audio, { command: 'audio-server', args: ['transcribe'] });
  // PML's own capabilities are sessions with the gateway, which offers the agent this part and no more.
  const { command, args = [] } = mcpServers.files as { command: string; args?: string[] };
  assert.deepEqual(
    [command, ...args.slice(1)],
    [
      process.execPath,
      ...['serve', '--agent', 'analyst', '--capability', 'files', '--config', '/work/pml.json'],
    ],
  );
});

test('registering a resolver is all it takes for a capability to be in the JSON Schema for editors', () => {
  const registry = buildRegistry({ file: null, servers: [] }, { catalogOf: () => undefined });
  registry.register(audio);
  const schema = JSON.stringify(jsonSchema(registry.knownCapabilities()));
  for (const { key } of registry.knownCapabilities()) assert.ok(schema.includes(`"${key}":{`), key);
  assert.ok(
    schema.includes('"rate":{"type":"integer"},"tools":{"type":"array","items":{"enum":["transcribe"]}'),
  );
});

test('the tools of `capabilities` are those of PML that change records', () => {
  const changing = PML_TOOLS.filter(({ listed }) => {
    const { readOnlyHint } = listed.annotations as { readOnlyHint: boolean };
    return !readOnlyHint && listed.name !== 'pml_execute';
  });
  assert.deepEqual(CHANGING_TOOLS.map(({ key }) => key).sort(), changing.map(({ name }) => name).sort());
});
