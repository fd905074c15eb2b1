import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ODD_NAMES, plainNames } from '../fixtures/fixture-many.ts';
import { EACH_CLIENT, type Loose, type Peer, sharedPeers } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawClient } from '../support/raw-client.ts';
import { serversReady, upReady } from '../support/servers-ready.ts';

const COUNT = 5000;
// Anthropic, OpenAI, Bedrock, Cursor and VS Code all accept these, also behind a client's own prefix.
const PORTABLE = /^[A-Za-z0-9_-]{1,54}$/;

const pml = new Pml(
  { after },
  {
    mcpServers: {
      many: fixtureServer('fixture-many.ts', '--count', String(COUNT)),
      'other.dots': fixtureServer('fixture-many.ts', '--count', '1'),
    },
  },
);
let url: string;
const peerOf = sharedPeers(pml, () => url);

before(async () => {
  url = await upReady(pml);
});

const isUpstream = ({ name }: Loose) => name.startsWith('mcp__');

test('every client lists all of 5,000 tools once, in the same order and under portable names', async () => {
  const lists = await Promise.all(
    EACH_CLIENT.map(async ({ kind, transport }) =>
      (await peerOf(kind, transport)).list('tools/list', 'tools'),
    ),
  );
  for (const list of lists) assert.deepEqual(list, lists[0]);
  const first = (lists[0] as Loose[]).filter(isUpstream);
  const names = first.map(({ name }) => name);
  assert.equal(names.length, COUNT + 1 + 2 * ODD_NAMES.length);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, PORTABLE);

  // The fixture describes each tool by its own name.
  const own = new Set(first.map(({ description }) => description));
  for (const name of [...plainNames(COUNT), ...ODD_NAMES]) assert.ok(own.has(name), name);
});

test("the SDK's own listTools follows the pages to the end", async () => {
  const client = await pml.http(url);
  const { tools } = await client.listTools();
  assert.equal(tools.filter(isUpstream).length, COUNT + 1 + 2 * ODD_NAMES.length);
});

test('a page requested twice is the same, and a cursor that PML did not issue is refused', async () => {
  const client = await RawClient.open(pml);
  const { result: page } = await client.send(1, 'tools/list');
  const { result: second } = await client.send(2, 'tools/list', { cursor: page.nextCursor });
  const { result: again } = await client.send(3, 'tools/list', { cursor: page.nextCursor });
  assert.deepEqual(second, again);
  for (const cursor of ['', 'nonsense!', 7]) {
    const { error } = await client.send(`cursor ${cursor}`, 'tools/list', { cursor });
    assert.equal(error?.code, -32602);
  }
});

test('tools whose sanitised names collide, or whose names are too long, can each be called by every spelling', async () => {
  const peer = await peerOf('SDK v2 modern', 'HTTP');
  const tools = await peer.list('tools/list', 'tools');
  for (const server of ['many', 'other.dots']) {
    for (const own of ODD_NAMES) {
      const prefix = `mcp__${server.replace('.', '_')}__`;
      const listed = tools.filter(({ name, description }) => description === own && name.startsWith(prefix));
      assert.equal(listed.length, 1, own);
      for (const name of [listed[0].name, `${server}:${own}`]) {
        const { content } = await peer.call(name);
        assert.equal(content[0].text, own);
      }
    }
  }
});

test('a loose spelling that fits two tools is an error that names both', async () => {
  const peer = (await peerOf('SDK v1', 'stdio')) as Peer;
  await assert.rejects(peer.call('many:DupX'), (error: Loose) => {
    assert.equal(error.code, -32602);
    assert.match(error.message, /"many:DupX" could mean .*"mcp__many__dup_x".* and /);
    return true;
  });
  // An exact spelling beats the loose ones.
  const { content } = await peer.call('mcp__many__dup_x');
  assert.equal(content[0].text, 'dup_x');
});

test('names do not depend on other servers in the config, nor on their order', async () => {
  const cwd = pml.project('turned', {
    mcpServers: {
      'other.dots': fixtureServer('fixture-many.ts', '--count', '1'),
      many: fixtureServer('fixture-many.ts', '--count', '3'),
    },
  });
  const client = await RawClient.open(pml, { cwd });
  await serversReady(pml);
  const { result } = await client.send(1, 'tools/list');
  const known = new Map(
    (await (await peerOf('SDK v1', 'HTTP')).list('tools/list', 'tools')).map((tool) => [tool.name, tool]),
  );
  const tools = result.tools.filter(isUpstream);
  assert.equal(tools.length, 4 + 2 * ODD_NAMES.length);
  for (const tool of tools) assert.equal(known.get(tool.name)?.description, tool.description);
});
