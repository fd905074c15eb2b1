import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ServerConfig } from '../../config/index.ts';
import { Redactor } from '../../secrets/index.ts';
import type { Db } from '../../store/index.ts';
import { NO_CATALOG } from '../../upstream/client.ts';
import type { Catalog } from '../../upstream/index.ts';
import { buildRegistry, shadowedCapabilities } from '../resolvers/build-registry.ts';
import { agentDirOf, findAgent } from './find-agent.ts';
import { resolveAgent } from './resolve-agent.ts';
import type { CapabilityConfig, CapabilityResolver } from './types.ts';

const home = mkdtempSync(join(tmpdir(), 'pml-agent-'));
after(() => rmSync(home, { recursive: true, force: true }));
const who = { user: 'ana', org: 'acme', project: 'web' };

function server(name: string, over: Partial<ServerConfig> = {}): ServerConfig {
  const transport = { kind: 'stdio' as const, command: 'server', args: [], env: {}, cwd: home };
  return { name, transport, routing: 'local', perSession: false, timeoutMs: 1000, prefix: true, ...over };
}

/** A registry of servers, and what each listed last. */
function registryOf(
  servers: ServerConfig[],
  tools: Record<string, string[]> = {},
  more: CapabilityResolver[] = [],
) {
  const catalogOf = ({ name }: { name: string }): Catalog | undefined =>
    tools[name] && { ...NO_CATALOG, tools: tools[name].map((tool) => ({ name: tool })) };
  const registry = buildRegistry({ file: null, servers }, { catalogOf });
  for (const resolver of more) registry.register(resolver);
  const resolve = (capabilities: Record<string, CapabilityConfig>, agentDir = agentDirOf(home, 'a', who)) =>
    resolveAgent(
      registry,
      { name: 'a', capabilities },
      { who, agentDir, workspaceDir: home, protectedPaths: [], db: {} as Db, redactor: new Redactor() },
    );
  return { registry, resolve };
}

test('rights are what the object lists: all tools without `tools`, the named ones, none for an empty list', () => {
  const { resolve } = registryOf([server('fs'), server('git'), server('web'), server('mail')], {
    fs: ['read'],
    git: ['log', 'push'],
    web: ['get'],
    mail: ['send'],
  });
  const { rights, backings } = resolve({ fs: {}, git: { tools: ['log'] }, web: { tools: [] } });
  assert.deepEqual(
    [...rights.servers],
    [
      ['fs', 'all'],
      ['git', new Set(['log'])],
      ['web', new Set()],
    ],
  );
  assert.deepEqual([rights.capabilities, rights.changingTools.size, backings.size], ['none', 0, 0]);
});

test('`capabilities` gives all learned ones, or exactly the named, and the tools that change records', () => {
  const { resolve } = registryOf([]);
  const rightsBy = (config: CapabilityConfig) => resolve({ capabilities: config }).rights;
  assert.equal(rightsBy({}).capabilities, 'all');
  assert.ok(rightsBy({}).changingTools.has('cap_rename'));
  assert.deepEqual(rightsBy({ names: ['fs:read', 'fs:read'] }).capabilities, new Set(['fs:read']));
  assert.deepEqual(rightsBy({ names: [] }).capabilities, new Set());
  assert.deepEqual(rightsBy({ tools: ['cap_fork'] }).changingTools, new Set(['cap_fork']));
  assert.throws(
    () => rightsBy({ names: ['fs:*'] }),
    /names\[0\]: "fs:\*" looks like a wildcard, and names are exact/,
  );
});

test('a server that was never listed is taken by its word, wildcards apart', () => {
  const { resolve } = registryOf([server('fs')]);
  assert.deepEqual(resolve({ fs: { tools: ['read'] } }).rights.servers.get('fs'), new Set(['read']));
  assert.throws(() => resolve({ fs: { tools: ['r*'] } }), /wildcard/);
});

test('a tool that the config of a server leaves out cannot be given to an agent', () => {
  const { resolve } = registryOf([server('fs', { tools: ['read'] })], { fs: ['read', 'write'] });
  assert.throws(() => resolve({ fs: { tools: ['write'] } }), /unknown tool "write"/);
});

test('a server that is named like PML’s own part of every agent cannot be given to one', () => {
  const { resolve } = registryOf([server('pml')]);
  assert.throws(() => resolve({ pml: {} }), /capabilities\.pml: is the name of PML’s own tools/);
});

test('a configured server takes the key of a built-in capability', () => {
  const { resolve, registry } = registryOf([server('memory')], { memory: ['recall'] });
  const { rights, backings } = resolve({ memory: { tools: ['recall'] } });
  assert.deepEqual(rights.servers.get('memory'), new Set(['recall']));
  assert.equal(backings.size, 0);
  assert.equal(registry.knownCapabilities().filter(({ key }) => key === 'memory').length, 1);
  assert.deepEqual(shadowedCapabilities({ servers: [server('memory'), server('fs')] }), ['memory']);
});

test('built-in capabilities and those of other resolvers have servers behind them; a skipped one gives no right', () => {
  const tools = [{ key: 'transcribe', name: 'Transcribe', description: '' }];
  const { resolve } = registryOf([], {}, [
    { key: 'audio', tools, resolve: () => ({ mcpServer: { command: 'audio', args: ['x'] } }) },
    { key: 'video', tools, resolve: () => ({ mcpServer: { type: 'http', url: 'http://127.0.0.1:1/' } }) },
    { key: 'smell', tools, resolve: () => null },
  ]);
  const { rights, backings } = resolve({
    audio: {},
    video: {},
    smell: {},
    memory: {},
    tasks: { tools: ['list_tasks'] },
  });
  assert.deepEqual([...rights.servers.keys()], ['audio', 'video', 'memory', 'tasks']);
  assert.deepEqual(
    [...backings].map(([key, { transport }]) => [key, transport.kind]),
    [
      ['audio', 'stdio'],
      ['video', 'http'],
      ['memory', 'stdio'],
      ['tasks', 'in-process'],
    ],
  );
});

test('a server of its own that cannot be had is a named problem', () => {
  const file = join(home, 'a-file');
  writeFileSync(file, '');
  const { resolve } = registryOf([]);
  assert.throws(
    () => resolve({ memory: {} }, join(file, 'below')),
    /capabilities\.memory: its server cannot be started/,
  );
});

test('the folder of an agent is its own for each user and scope, and never outside the home', () => {
  const folders = [
    agentDirOf(home, 'a', who),
    agentDirOf(home, 'A', who),
    agentDirOf(home, '..', who),
    agentDirOf(home, 'a', { ...who, user: '../ben' }),
    agentDirOf(home, 'a', { ...who, project: 'app' }),
  ];
  assert.equal(new Set(folders.map((folder) => folder.toLowerCase())).size, folders.length);
  for (const folder of folders) assert.equal(join(folder, '..'), join(home, 'agents'));
});

test('an unknown agent is answered with the nearest name, or with all', () => {
  const agents = { analyst: { capabilities: {} }, clerk: { capabilities: {} } };
  const hintFor = (name: string, among = agents) => {
    try {
      findAgent({ agents: among }, name);
    } catch (error) {
      return (error as { hint?: string }).hint;
    }
    return undefined;
  };
  assert.equal(hintFor('analist'), 'Did you mean "analyst"?');
  assert.equal(hintFor('toString'), 'Its agents are analyst, clerk.');
  assert.match(hintFor('x', {} as typeof agents) ?? '', /declares no agents/);
});
