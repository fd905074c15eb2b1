import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EACH_CLIENT, type Loose, sharedPeers } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawClient } from '../support/raw-client.ts';
import { upReady } from '../support/servers-ready.ts';

const pml = new Pml(
  { after },
  {
    mcpServers: {
      old: fixtureServer('fixture-legacy.ts'),
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
  for (const server of ['old', 'new']) {
    test(`${kind} over ${transport} gets the progress of its call on the ${server} server while it runs`, async () => {
      const peer = await peerOf(kind, transport);
      const label = `${kind} ${transport}`;
      const received: Loose[] = [];
      // The server goes on only when the progress of its last step has arrived here.
      const onprogress = (progress: Loose) => {
        received.push(progress);
        void peer.call(`${server}:next`, { label, step: progress.progress });
      };
      const result = await peer.call(`${server}:report`, { steps: 3, label }, { onprogress });
      assert.equal(result.content[0].text, `reported ${label}`);
      assert.deepEqual(
        received.map(({ progress, total, message }) => ({ progress, total, message })),
        [1, 2, 3].map((progress) => ({ progress, total: 3, message: label })),
      );
      assert.deepEqual(peer.errors, []);
    });
  }
}

test('concurrent callers each get their own progress under their own token, and none without a token', async () => {
  const [ana, ben, carl] = (await Promise.all([1, 2, 3].map(() => RawClient.open(pml)))) as [
    RawClient,
    RawClient,
    RawClient,
  ];
  const burst = (client: RawClient, id: number, label: string, progressToken?: string | number) =>
    client.send(id, 'tools/call', {
      name: 'old:burst',
      arguments: { steps: 3, together: 4, label },
      ...(progressToken !== undefined && { _meta: { progressToken } }),
    });
  // The same token and the same id in two sessions; two calls at once in one.
  await Promise.all([
    burst(ana, 7, 'ana 1', 'token'),
    burst(ana, 8, 'ana 2', 0),
    burst(ben, 7, 'ben', 'token'),
    burst(carl, 7, 'carl'),
  ]);
  const heardBy = (client: RawClient) =>
    client.notifications
      .of('notifications/progress')
      .map(({ params }) => `${params.message} ${params.progressToken}`);
  assert.deepEqual(heardBy(ana).sort(), [...Array(3).fill('ana 1 token'), ...Array(3).fill('ana 2 0')]);
  assert.deepEqual(heardBy(ben), Array(3).fill('ben token'));
  assert.deepEqual(heardBy(carl), []);
});

test('progress that a server sends in one chunk with its result arrives complete, in order and before the result', async () => {
  const client = await RawClient.open(pml);
  const steps = 20;
  await client.send(1, 'tools/call', {
    name: 'old:burst',
    arguments: { steps, label: 'quick' },
    _meta: { progressToken: 't' },
  });
  const messages = client.lines.slice(1).map((line) => JSON.parse(line));
  assert.deepEqual(
    messages.map(({ id, params }) => params?.progress ?? `result ${id}`),
    [...Array.from({ length: steps }, (_, i) => i + 1), 'result 1'],
  );
});
