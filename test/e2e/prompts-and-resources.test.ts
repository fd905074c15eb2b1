import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PROMPTS, RESOURCES, TEMPLATES } from '../fixtures/fixture-legacy-lists.ts';
import { PNG } from '../fixtures/fixture-legacy-tools.ts';
import { EACH_CLIENT, type Loose, type Peer, sharedPeers } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { upReady } from '../support/servers-ready.ts';

const UPDATED = 'notifications/resources/updated';

// Two servers with the same prompts, resources and templates, and one of the newer era with its own.
const pml = new Pml(
  { after },
  {
    mcpServers: {
      one: fixtureServer('fixture-legacy.ts', '--name', 'one'),
      two: fixtureServer('fixture-legacy.ts', '--name', 'two'),
      new: fixtureServer('fixture-modern.ts', 'stdio'),
    },
  },
);
let url: string;
const peerOf = sharedPeers(pml, () => url);

before(async () => {
  url = await upReady(pml);
});

for (const { kind, transport } of EACH_CLIENT) {
  describe(`${kind} over ${transport}`, () => {
    let peer: Peer;
    before(async () => {
      peer = await peerOf(kind, transport);
    });

    test('gets a prompt of either server if two have one of the same name', async () => {
      const prompts = await peer.list('prompts/list', 'prompts');
      const listed = prompts.filter(({ name }) => name.endsWith('greet'));
      assert.deepEqual(
        listed,
        ['mcp__one__greet', 'mcp__two__greet'].map((name) => ({ ...PROMPTS[0], name })),
      );
      for (const server of ['one', 'two']) {
        for (const name of [`mcp__${server}__greet`, `${server}:greet`, `${server.toUpperCase()}_Greet`]) {
          const result = await peer.request('prompts/get', { name, arguments: { who: 'Ana' } });
          assert.deepEqual(result.messages, [
            { role: 'user', content: { type: 'text', text: `${server} greets Ana`, 'x-text': 1 } },
          ]);
          assert.equal(result['x-got'], true);
        }
      }
    });

    test('gets a suggestion when it misspells a prompt', async () => {
      await assert.rejects(peer.request('prompts/get', { name: 'mcp__one__great' }), (error: Loose) => {
        assert.equal(error.code, -32602);
        assert.match(error.message, /Unknown prompt: mcp__one__great\. Did you mean "mcp__one__greet"\?/);
        return true;
      });
    });

    test('reads a resource of either server if two have one of the same URI', async () => {
      const resources = await peer.list('resources/list', 'resources');
      const readmes = resources.filter(({ name }) => name === 'readme');
      assert.equal(readmes.length, 3);
      assert.equal(new Set(readmes.map(({ uri }) => uri)).size, 3);
      const texts = await Promise.all(
        readmes.map(async ({ uri }) => (await peer.request('resources/read', { uri })).contents[0].text),
      );
      assert.deepEqual(texts.sort(), ['readme of modern', 'readme of one', 'readme of two']);
      const own = resources.find(({ uri }) => uri === 'fixture://readme');
      assert.deepEqual(own, RESOURCES[0]);
    });

    test('reads a resource under the URI it asked for, with every key of the answer', async () => {
      const resources = await peer.list('resources/list', 'resources');
      for (const { uri } of resources.filter(({ name }) => name === 'readme')) {
        const { contents } = await peer.request('resources/read', { uri });
        assert.equal(contents[0].uri, uri);
      }
      const { contents } = await peer.request('resources/read', { uri: 'fixture://pixel' });
      assert.deepEqual(contents, [{ uri: 'fixture://pixel', mimeType: 'image/png', blob: PNG }]);
    });

    test('reads what a template of either server describes', async () => {
      const templates = await itemTemplates(peer);
      assert.equal(templates.length, 2);
      assert.deepEqual(
        templates.find(({ uriTemplate }) => uriTemplate === TEMPLATES[0]?.uriTemplate),
        TEMPLATES[0],
      );
      const answers = await Promise.all(
        templates.map(async ({ uriTemplate }) => {
          const uri = uriTemplate.replace('{id}', 'a%20b');
          return JSON.parse((await peer.request('resources/read', { uri })).contents[0].text);
        }),
      );
      assert.deepEqual(
        answers.sort((a, b) => (a.of < b.of ? -1 : 1)),
        [
          { item: 'a%20b', of: 'one' },
          { item: 'a%20b', of: 'two' },
        ],
      );
    });

    test('gets an error for a resource that no server has', async () => {
      await assert.rejects(peer.request('resources/read', { uri: 'nowhere://at-all' }), /nowhere:\/\/at-all/);
    });

    test("completes a prompt's argument and a template's, at the right server", async () => {
      const argument = { name: 'who', value: 'An' };
      const context = { arguments: { a: 'before' } };
      for (const server of ['one', 'two']) {
        const ref = { type: 'ref/prompt', name: `mcp__${server}__greet` };
        const { completion } = await peer.request('completion/complete', { ref, argument, context });
        assert.deepEqual(completion, {
          values: [`${server}:greet:who=An`, 'before'],
          total: 2,
          hasMore: false,
        });
      }
      const templates = await itemTemplates(peer);
      const values = await Promise.all(
        templates.map(async ({ uriTemplate: uri }) => {
          const ref = { type: 'ref/resource', uri };
          const { completion } = await peer.request('completion/complete', {
            ref,
            argument: { name: 'id', value: '7' },
          });
          return completion.values[0];
        }),
      );
      assert.deepEqual(
        values.sort(),
        ['one', 'two'].map((name) => `${name}:fixture://items/{id}:id=7`),
      );
    });

    for (const [server, own] of [
      ['one', 'fixture://readme'],
      ['two', 'fixture://readme'],
      ['new', 'modern://readme'],
    ] as const) {
      test(`gets updates of a resource of server ${server} until it unsubscribes`, async () => {
        const uri = await uriOf(peer, server);
        peer.notifications.clear();
        const leave = await peer.watch(uri);
        await peer.call(`${server}:touch`, { uri: own });
        const [update] = await peer.notifications.until(UPDATED);
        assert.equal(update?.params.uri, uri);
        await leave();
        peer.notifications.clear();
        await peer.call(`${server}:touch`, { uri: own });
        // A later update of another resource arrives, so the update before it was not sent.
        const other = await peer.watch('fixture://pixel');
        await peer.call('one:touch', { uri: 'fixture://pixel' });
        const heard = await peer.notifications.until(UPDATED);
        await other();
        assert.deepEqual(
          heard.map(({ params }) => params.uri),
          ['fixture://pixel'],
        );
      });
    }
  });
}

async function itemTemplates(peer: Peer): Promise<Loose[]> {
  const templates = await peer.list('resources/templates/list', 'resourceTemplates');
  return templates.filter(({ name }) => name === 'item');
}

/** The URI under which PML lists a server's readme. */
async function uriOf(peer: Peer, server: string): Promise<string> {
  for (const { name, uri } of await peer.list('resources/list', 'resources')) {
    if (name !== 'readme') continue;
    const { contents } = await peer.request('resources/read', { uri });
    if (contents[0].text === `readme of ${server === 'new' ? 'modern' : server}`) return uri;
  }
  throw new Error(`no readme of ${server}`);
}

test('a server gets one subscription for many clients, which ends with the last of them', async () => {
  const peers = await Promise.all([
    peerOf('SDK v1', 'stdio'),
    peerOf('SDK v2 legacy', 'HTTP'),
    peerOf('SDK v1', 'HTTP'),
  ]);
  const [first] = peers as [Peer, Peer, Peer];
  const watched = async () => (await first.call('one:state')).structuredContent.watched;
  const leaves = await Promise.all(peers.map((peer) => peer.watch('fixture://pixel')));
  for (const peer of peers) peer.notifications.clear();
  assert.deepEqual(await watched(), ['fixture://pixel']);
  await first.call('one:touch', { uri: 'fixture://pixel' });
  for (const peer of peers) {
    const [update] = await peer.notifications.until(UPDATED);
    assert.deepEqual(update?.params, { uri: 'fixture://pixel', 'x-why': 'touched' });
  }
  for (const [index, leave] of leaves.entries()) {
    await leave();
    assert.deepEqual(await watched(), index < 2 ? ['fixture://pixel'] : []);
  }
});

test('an update reaches only the clients that subscribed to the resource', async () => {
  const [watching, other] = [await peerOf('SDK v1', 'stdio'), await peerOf('SDK v1', 'HTTP')] as [Peer, Peer];
  for (const peer of [watching, other]) peer.notifications.clear();
  const leave = await watching.watch('fixture://pixel');
  await watching.call('one:touch', { uri: 'fixture://pixel' });
  await watching.notifications.until(UPDATED);
  await leave();
  await other.request('ping');
  assert.deepEqual(other.notifications.of(UPDATED), []);
});

test('clients that subscribe to a modern server at the same time each get an update once', async () => {
  const peers = await Promise.all(EACH_CLIENT.map(({ kind, transport }) => peerOf(kind, transport)));
  for (const peer of peers) peer.notifications.clear();
  const leaves = await Promise.all(
    peers.flatMap((peer, i) => [peer.watch('modern://readme'), peer.watch(`modern://other/${i}`)]),
  );
  // PML sends the subscriptions to the server in turn, so once this one is in place all are.
  leaves.push(await (peers[0] as Peer).watch('modern://other/last'));
  await (peers[0] as Peer).call('new:touch', { uri: 'modern://readme' });
  for (const peer of peers) await peer.notifications.until(UPDATED);
  await (peers[0] as Peer).call('new:touch', { uri: 'modern://other/0' });
  await (peers[0] as Peer).notifications.until(UPDATED, 2);
  for (const [i, peer] of peers.entries()) {
    const uris = peer.notifications.of(UPDATED).map(({ params }) => params.uri);
    assert.deepEqual(
      uris,
      i === 0 ? ['modern://readme', 'modern://other/0'] : ['modern://readme'],
      `client ${i}`,
    );
  }
  await Promise.all(leaves.map((leave) => leave()));
});

test('a subscription that fails is refused each time, not only the first time', async () => {
  for (const kind of ['SDK v1', 'SDK v2 legacy'] as const) {
    const peer = await peerOf(kind, 'stdio');
    for (const uri of ['nowhere://at-all', 'fixture://items/unwatchable']) {
      for (let i = 0; i < 2; i++) await assert.rejects(peer.watch(uri), /Resource not found: /, uri);
    }
  }
});

test('the instructions of each server are passed on', async () => {
  const peer = await peerOf('SDK v2 modern', 'HTTP');
  for (const server of ['one', 'two', 'modern']) {
    assert.match(peer.instructions() ?? '', new RegExp(`Instructions of ${server}\\.`));
  }
});
