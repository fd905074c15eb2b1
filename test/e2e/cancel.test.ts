import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EACH_CLIENT, sharedPeers } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawClient } from '../support/raw-client.ts';
import { startModernHttp } from '../support/servers.ts';
import { upReady } from '../support/servers-ready.ts';

const pml = new Pml(
  { after },
  {
    mcpServers: {
      old: fixtureServer('fixture-legacy.ts'),
      new: fixtureServer('fixture-modern.ts', 'stdio'),
      remote: { type: 'http', url: await startModernHttp({ after }) },
    },
  },
);
let url: string;
const peerOf = sharedPeers(pml, () => url);

before(async () => {
  url = await upReady(pml);
});

for (const { kind, transport } of EACH_CLIENT) {
  for (const server of ['old', 'new', 'remote']) {
    test(`a call cancelled by ${kind} over ${transport} is cancelled at the ${server} server`, async () => {
      const peer = await peerOf(kind, transport);
      const key = `${kind} ${transport}`;
      const abort = new AbortController();
      const hang = peer.call(`${server}:hang`, { key }, { signal: abort.signal });
      const rejected = assert.rejects(hang);
      await peer.call(`${server}:hanging`, { key });
      abort.abort('no longer needed');
      await rejected;
      await peer.call(`${server}:cancelled`, { key });
    });
  }
}

test('cancelling one call leaves others of the same session, or with the same id, running', async () => {
  const [ana, ben] = (await Promise.all([RawClient.open(pml), RawClient.open(pml)])) as [
    RawClient,
    RawClient,
  ];
  const hang = (client: RawClient, id: number, key: string) =>
    void client.send(id, 'tools/call', { name: 'old:hang', arguments: { key } });
  const settles = (client: RawClient, id: number, tool: string, key: string) =>
    client.send(id, 'tools/call', { name: `old:${tool}`, arguments: { key } });
  hang(ana, 1, 'ana 1');
  hang(ana, 2, 'ana 2');
  hang(ben, 1, 'ben 1');
  await Promise.all(['ana 1', 'ana 2', 'ben 1'].map((key, i) => settles(ana, 10 + i, 'hanging', key)));

  ana.write({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 1, reason: 'why not' },
  });
  const cancelled = await settles(ana, 20, 'cancelled', 'ana 1');
  assert.match(cancelled.result.structuredContent.reason, /why not/);
  const others = Promise.race([
    settles(ana, 21, 'cancelled', 'ana 2').then(() => 'ana 2'),
    settles(ana, 22, 'cancelled', 'ben 1').then(() => 'ben 1'),
  ]);
  // A full round trip later nothing else has been cancelled.
  const probe = settles(ana, 23, 'hanging', 'ana 2').then(() => 'none');
  assert.equal(await Promise.race([others, probe]), 'none');
});

test('a client that disconnects cancels its calls', async () => {
  const [leaving, staying] = (await Promise.all([RawClient.open(pml), RawClient.open(pml)])) as [
    RawClient,
    RawClient,
  ];
  void leaving.send(1, 'tools/call', { name: 'old:hang', arguments: { key: 'left' } });
  await staying.send(1, 'tools/call', { name: 'old:hanging', arguments: { key: 'left' } });
  await leaving.close();
  await staying.send(2, 'tools/call', { name: 'old:cancelled', arguments: { key: 'left' } });
});
