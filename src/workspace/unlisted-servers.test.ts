import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../config/index.ts';
import type { Upstream } from '../upstream/index.ts';
import { UnlistedServers } from './unlisted-servers.ts';

/** A server with so many tools of about 100 tokens, or one that was never listed. */
function server(name: string, count: number | undefined, offered?: string[]): Upstream {
  const tools = Array.from({ length: count ?? 0 }, (_, at) => ({
    name: `tool_${at}`,
    description: 'word '.repeat(70),
    inputSchema: { type: 'object' },
  }));
  const catalog = { server: count === undefined ? {} : { name }, tools };
  return { name, catalog, server: { name, tools: offered } } as unknown as Upstream;
}

const settings = (upstream: 'all' | 'auto' | 'none', exposeBudget = 5000) =>
  ({ expose: { upstream }, exposeBudget, servers: [{ name: 'a' }, { name: 'b' }] }) as unknown as Config;

test('all lists every server and none lists no server, whatever they offer', () => {
  for (const [upstream, expected] of [
    ['all', []],
    ['none', ['a', 'b']],
  ] as const) {
    const unlisted = new UnlistedServers(settings(upstream));
    assert.equal(unlisted.update(server('a', 1000)), false);
    assert.deepEqual([...unlisted.names], expected);
  }
});

test('auto decides when tools change, and says whether the decision is another one', () => {
  const unlisted = new UnlistedServers(settings('auto'));
  assert.equal(unlisted.update(server('a', 20)), false);
  assert.equal(unlisted.update(server('b', 30)), true);
  assert.deepEqual([...unlisted.names], ['b']);
  assert.equal(unlisted.update(server('b', 31)), false);
  assert.equal(unlisted.update(server('b', 3)), true);
  assert.deepEqual([...unlisted.names], []);
});

test('a server that starts for another session changes nothing until it is listed', () => {
  const unlisted = new UnlistedServers(settings('auto'));
  unlisted.update(server('a', 100));
  assert.equal(unlisted.update(server('a', undefined)), false);
  assert.deepEqual([...unlisted.names], ['a']);
});

test('only the tools that the config offers count', () => {
  const unlisted = new UnlistedServers(settings('auto'));
  assert.equal(unlisted.update(server('a', 1000, ['tool_1', 'tool_2'])), false);
  assert.deepEqual([...unlisted.names], []);
});
