import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../testing/effort.ts';
import type { Catalog, Upstream } from '../upstream/index.ts';
import type { AgentRights } from './agents/agent-rights.ts';
import { buildDirectory, type Directory } from './directory.ts';

/** A server as a directory reads it. */
function upstreamOf(name: string, tools: readonly string[], isWhole = true): Upstream {
  const catalog = {
    capabilities: isWhole ? { resources: {} } : {},
    tools: tools.map((tool) => ({ name: tool, inputSchema: { type: 'object' } })),
    prompts: isWhole ? [{ name: 'ask' }, { name: `ask.${name}` }] : [],
    resources: isWhole
      ? [
          { uri: 'shared://doc', name: 'doc' },
          { uri: `${name}://doc`, name: 'doc' },
        ]
      : [],
    templates: isWhole ? [{ uriTemplate: `${name}://item/{id}`, name: 'item' }] : [],
  } as unknown as Catalog;
  return { name, server: { prefix: true }, catalog } as unknown as Upstream;
}

/** Names that clash once they are listed or spelt loosely. */
const SERVERS = ['a', 'a.b', 'a-b', 'a_b', 'long'];
const TOOLS = ['c', 'e', 'c.d', 'c_d', 'C', `${'x'.repeat(60)}1`, `${'x'.repeat(60)}2`];

const randomServers = fc
  .tuple(...SERVERS.map(() => fc.oneof(fc.subarray(TOOLS), fc.subarray(['c', 'e']), fc.constant([]))))
  .map((lists) => SERVERS.map((name, at) => [name, lists[at] as string[]] as const));
const randomRights = fc.tuple(
  ...SERVERS.map(() => fc.oneof(fc.constant(undefined), fc.constant('all' as const), fc.subarray(TOOLS))),
);

const SPELLINGS = [
  ...SERVERS.flatMap((server) => TOOLS.map((tool) => `${server}:${tool}`)),
  ...SERVERS.flatMap((server) => TOOLS.map((tool) => `mcp__${server}__${tool}`)),
  ...['ab:c', 'abc', 'a__b__c', 'c', 'ask', 'a:ask', 'ab.ask', 'nothing:at_all'],
];
const URIS = [
  'shared://doc',
  'unknown://x',
  ...SERVERS.flatMap((name) => [`${name}://doc`, `${name}://item/7`]),
];

/** Everything that a directory answers. */
function answersOf({ tools, prompts, resources, templates, resource }: Directory) {
  const found = (index: Directory['tools'], name: string) => {
    try {
      const { upstream, own, listed } = index.find(name);
      return `${upstream.name} ${own} ${listed.name}`;
    } catch (error) {
      return String(error);
    }
  };
  return {
    tools: tools.entries.map(({ listed }) => listed),
    prompts: prompts.entries.map(({ listed }) => listed),
    resources: resources.map(({ listed }) => listed),
    templates: templates.map(({ listed }) => listed),
    names: SPELLINGS.map((name) => [name, found(tools, name), found(prompts, name), tools.has(name)]),
    uris: URIS.map((uri) => {
      const { upstream, uri: own } = resource(uri) ?? {};
      return [uri, upstream?.name, own];
    }),
  };
}

test('the directory of an agent is that of servers which have nothing else than it may use', () => {
  fc.assert(
    fc.property(
      randomServers,
      randomRights,
      fc.constantFrom('mcp' as const, 'short' as const, 'own' as const),
      (servers, given, style) => {
        const allowed = new Map(
          SERVERS.flatMap((name, at) => {
            const tools = given[at];
            return tools === undefined ? [] : [[name, tools === 'all' ? tools : new Set(tools)] as const];
          }),
        );
        const rights: AgentRights = {
          ...{ agent: 'clerk', capabilities: 'none', changingTools: new Set() },
          servers: allowed,
        };
        const all = servers.map(([name, tools]) => upstreamOf(name, tools));
        const bare = servers.flatMap(([name, tools]) => {
          const usable = allowed.get(name);
          if (usable === undefined) return [];
          const left = usable === 'all' ? tools : tools.filter((tool) => usable.has(tool));
          return [upstreamOf(name, left, usable === 'all')];
        });
        const expected = answersOf(buildDirectory(bare, style));
        assert.deepEqual(answersOf(buildDirectory(all, style, rights)), expected);
        const part = buildDirectory(all, style, rights, buildDirectory(all, style));
        assert.deepEqual(answersOf(part), expected);
      },
    ),
    runs(300),
  );
});
