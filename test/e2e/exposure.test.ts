import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { connectPeer, failureOf, type Peer } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { serversReady } from '../support/servers-ready.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const server = (name: string, pml: object = {}) => ({
  ...fixtureServer('fixture-legacy.ts', '--name', name),
  pml,
});

const pml = new Pml({ after });
before(() => onUsualEngine(pml));

/** A session in a project folder of its own, all of whose servers are connected. */
async function inProject(name: string, config: object): Promise<Peer> {
  const peer = await connectPeer(pml, 'SDK v1', 'stdio', '', { cwd: pml.project(name, config) });
  await serversReady(pml);
  return peer;
}

describe('prefix: false', () => {
  let peer: Peer;
  before(async () => {
    peer = await inProject('prefix', {
      mcpServers: { plain: server('plain', { prefix: false }), other: server('other') },
    });
  });

  test('lists the tools and prompts of that server under their own names', async () => {
    const names = await peer.toolNames();
    assert.ok(names.includes('echo'));
    assert.ok(names.includes('mcp__other__echo'));
    assert.ok(!names.includes('mcp__plain__echo'));
    const prompts = await peer.list('prompts/list', 'prompts');
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ['greet', 'mcp__other__greet'],
    );
  });

  test('calls them by their own names and by the prefixed ones', async () => {
    for (const name of ['echo', 'plain:echo', 'Echo', 'mcp__plain__echo']) {
      assert.equal((await peer.call(name)).structuredContent.server, 'plain');
    }
    assert.equal((await peer.call('other:echo')).structuredContent.server, 'other');
  });

  test('keeps the tools of two such servers apart', async () => {
    const client = await inProject('both', {
      mcpServers: { one: server('one', { prefix: false }), two: server('two', { prefix: false }) },
    });
    const names = (await client.toolNames()).filter((name) => /^echo/.test(name));
    assert.equal(new Set(names).size, 2);
    const servers = await Promise.all(
      names.map(async (name) => (await client.call(name)).structuredContent.server),
    );
    assert.deepEqual(servers.sort(), ['one', 'two']);
  });
});

describe('an allowlist of tools', () => {
  let peer: Peer;
  before(async () => {
    peer = await inProject('allowed', {
      mcpServers: { some: server('some', { tools: ['echo', 'pid'] }), all: server('all') },
    });
  });

  test('lists only those tools of the server', async () => {
    const names = (await peer.toolNames()).filter((name) => name.startsWith('mcp__some__'));
    assert.deepEqual(names, ['mcp__some__echo', 'mcp__some__pid']);
  });

  test('refuses the others under every spelling, as if they did not exist', async () => {
    for (const name of ['mcp__some__put', 'some:put', 'Some:Put', 'some_put']) {
      assert.match(await failureOf(peer.call(name, { value: 1 })), /(Unknown tool|not found): /);
    }
    assert.deepEqual((await peer.call('all:get')).structuredContent, { kept: null });
  });
});

for (const [name, expose] of [
  ['lean', 'lean'],
  ['none', { upstream: 'none' }],
] as const) {
  test(`expose: ${JSON.stringify(expose)} lists only PML's own tools`, async () => {
    const peer = await inProject(name, { expose, mcpServers: { hidden: server('hidden') } });
    const names = await peer.toolNames();
    assert.deepEqual(
      names.filter((one) => !/^(pml|cap)_/.test(one)),
      [],
    );
  });
}
