import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Loose, type Peer, sharedPeers } from '../support/clients.ts';
import { statusOf } from '../support/daemon.ts';
import { Pml } from '../support/pml.ts';
import { RawClient } from '../support/raw-client.ts';
import { startEverything, startModernHttp } from '../support/servers.ts';
import { upReady } from '../support/servers-ready.ts';

const [streamable, sse, modern] = await Promise.all([
  startEverything({ after }, 'streamableHttp'),
  startEverything({ after }, 'sse'),
  startModernHttp({ after }),
]);
const pml = new Pml(
  { after },
  {
    mcpServers: {
      streamable: { type: 'http', url: `${streamable}/mcp` },
      sse: { type: 'sse', url: `${sse}/sse` },
      // Written as for other clients, without a type, so PML must detect it.
      untyped: { url: `${sse}/sse` },
      modern: { type: 'http', url: modern },
    },
  },
);
let url: string;
const peerOf = sharedPeers(pml, () => url);
let peers: Peer[];

before(async () => {
  url = await upReady(pml);
  peers = await Promise.all([peerOf('SDK v1', 'stdio'), peerOf('SDK v2 modern', 'HTTP')]);
});

test('each remote server is connected in the era it speaks', async () => {
  const { workspaces } = await statusOf(pml);
  const servers = workspaces.flatMap((workspace) => workspace.servers);
  assert.deepEqual(
    servers.map(({ name, era, pid }) => ({ name, era, pid })),
    [
      { name: 'streamable', era: 'legacy', pid: undefined },
      { name: 'sse', era: 'legacy', pid: undefined },
      { name: 'untyped', era: 'legacy', pid: undefined },
      { name: 'modern', era: 'modern', pid: undefined },
    ],
  );
});

for (const server of ['streamable', 'sse', 'untyped']) {
  describe(`server-everything, ${server}`, () => {
    test('answers calls, with structured and binary content', async () => {
      for (const peer of peers) {
        const sum = await peer.call(`${server}:get-sum`, { a: 2, b: 40 });
        assert.match(sum.content[0].text, /42/);
        const image = await peer.call(`${server}:get-tiny-image`);
        const { type, mimeType, data } = image.content.find(({ type }: Loose) => type === 'image');
        assert.deepEqual([type, mimeType], ['image', 'image/png']);
        assert.equal(Buffer.from(data, 'base64').subarray(1, 4).toString(), 'PNG');
        const weather = await peer.call(`${server}:get-structured-content`, { location: 'New York' });
        assert.deepEqual(JSON.parse(weather.content[0].text), weather.structuredContent);
      }
    });

    test('reports progress', async () => {
      // By hand, because an SDK client drops progress that arrives in one chunk with the result.
      const client = await RawClient.open(pml);
      await client.send(1, 'tools/call', {
        name: `${server}:trigger-long-running-operation`,
        arguments: { duration: 0.2, steps: 4 },
        _meta: { progressToken: 'mine' },
      });
      assert.deepEqual(
        client.notifications.of('notifications/progress').map(({ params }) => params),
        [1, 2, 3, 4].map((progress) => ({ progress, total: 4, progressToken: 'mine' })),
      );
    });

    test('offers its prompts and resources', async () => {
      for (const peer of peers) {
        const prompts = await peer.list('prompts/list', 'prompts');
        assert.ok(prompts.some(({ name }) => name === `mcp__${server}__simple-prompt`));
        const result = await peer.request('prompts/get', { name: `${server}:simple-prompt` });
        assert.equal(result.messages[0].role, 'user');
      }
    });

    test('refuses wrong arguments in its own words', async () => {
      for (const peer of peers) {
        const refused = await peer.call(`${server}:get-sum`, { a: 'x' }).catch((error: Error) => error);
        const text = refused instanceof Error ? refused.message : refused.content[0].text;
        assert.match(text, /expected number/i);
      }
    });
  });
}

describe('a server of 2026-07-28 on HTTP', () => {
  test('answers calls, with metadata both ways', async () => {
    for (const peer of peers) {
      const result = await peer.request('tools/call', {
        name: 'modern:echo',
        arguments: { word: 'hello' },
        _meta: { 'my/key': 'mine' },
      });
      assert.deepEqual(result.structuredContent, { args: { word: 'hello' } });
      assert.equal(result._meta['fixture/received']['my/key'], 'mine');
      assert.equal(result._meta['fixture/answer'], 42);
    }
  });

  test('is listed with keys that no SDK knows', async () => {
    for (const peer of peers) {
      const tools = await peer.list('tools/list', 'tools');
      const echo = tools.find(({ name }) => name === 'mcp__modern__echo');
      assert.deepEqual(echo, {
        name: 'mcp__modern__echo',
        inputSchema: { type: 'object' },
        'x-tool-key': 'echo',
      });
    }
  });

  test('is listened to again after its stream broke, and changes in between are not lost', async () => {
    await Promise.all(peers.map((peer) => peer.watch('modern://readme')));
    await peers[0]?.call('modern:cut', { extra: 'while_deaf' });
    for (const peer of peers) await peer.untilListed('mcp__modern__while_deaf');
    await peers[0]?.call('modern:change', { extra: 'afterwards' });
    for (const peer of peers) await peer.untilListed('mcp__modern__afterwards');
    await peers[0]?.call('modern:touch', { uri: 'modern://readme' });
    for (const peer of peers) await peer.notifications.until('notifications/resources/updated');
  });

  test('relays an error with its code and data', async () => {
    for (const peer of peers) {
      await assert.rejects(peer.call('modern:explodes'), (error: Loose) => {
        assert.equal(error.code, -32077);
        assert.match(error.message, /It exploded$/);
        assert.deepEqual(error.data, { where: ['here', 1] });
        return true;
      });
    }
  });
});
