import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectPeer, EACH_CLIENT, type Peer, TOOLS_CHANGED, TRANSPORTS } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { startModernHttp } from '../support/servers.ts';
import { upReady } from '../support/servers-ready.ts';

const SERVERS = ['old', 'new', 'remote'];

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
/** One client of each kind on each transport, and one more that causes the changes. */
let peers: { peer: Peer; label: string }[];
let actor: Peer;
let changes = 0;

before(async () => {
  url = await upReady(pml);
  actor = await connectPeer(pml, 'SDK v1', 'stdio', url);
  peers = await Promise.all(
    EACH_CLIENT.map(async ({ kind, transport }) => ({
      peer: await connectPeer(pml, kind, transport, url),
      label: `${kind} over ${transport}`,
    })),
  );
});

/** Makes one change and settles when all notifications of it have arrived. `signal` is a list that the test does not look at. */
async function settled(signal: 'prompts' | 'resources' = 'resources'): Promise<void> {
  changes += 1;
  const extra = `settled_${changes}`;
  await actor.call('old:change', { extra });
  for (const { peer } of peers) await peer.untilListed(`mcp__old__${extra}`);
  // The list is right before the notification goes out. One of another list follows all that are pending.
  const method = `notifications/${signal}/list_changed`;
  const heard = peers.map(({ peer }) => peer.notifications.of(method).length);
  await actor.call('old:change', { kind: signal, extra: `fixture://${extra}` });
  await Promise.all(peers.map(({ peer }, at) => peer.notifications.until(method, (heard[at] ?? 0) + 1)));
}

async function clearNotifications(): Promise<void> {
  await settled();
  for (const { peer } of peers) peer.notifications.clear();
}

for (const [index, { kind, transport }] of EACH_CLIENT.entries()) {
  test(`${kind} over ${transport} is notified of a new tool at each server, and calls it`, async () => {
    const { peer } = peers[index] as (typeof peers)[number];
    for (const server of SERVERS) {
      const extra = `for_${index}`;
      await actor.call(`${server}:change`, { extra });
      await peer.untilListed(`mcp__${server}__${extra}`);
      const { content } = await peer.call(`${server}:${extra}`);
      assert.equal(content[0].text, `extra ${extra}`);
    }
    await peer.notifications.until(TOOLS_CHANGED);
    assert.deepEqual(peer.errors, []);
  });
}

test('one change is one notification', async () => {
  await clearNotifications();
  await settled();
  for (const { peer, label } of peers) assert.equal(peer.notifications.of(TOOLS_CHANGED).length, 1, label);
});

for (const server of SERVERS) {
  test(`1,500 notifications of the ${server} server reach each client as a few, and the last list is right`, async () => {
    await clearNotifications();
    const extras = ['a', 'b', 'c'].map((letter) => `flood_${letter}`);
    for (const extra of extras) await actor.call(`${server}:change`, { extra, times: 500 });
    for (const { peer } of peers) {
      await peer.untilListed(`mcp__${server}__flood_c`);
      const names = await peer.toolNames();
      for (const extra of extras) assert.ok(names.includes(`mcp__${server}__${extra}`));
    }
    await settled();
    for (const { peer, label } of peers) {
      const count = peer.notifications.of(TOOLS_CHANGED).length;
      assert.ok(count >= 1 && count <= 5, `${label} got ${count} notifications`);
    }
  });
}

for (const [kind, extra] of [
  ['prompts', 'extra_prompt'],
  ['resources', 'fixture://extra'],
] as const) {
  test(`a change of the ${kind} reaches each client once, under its own name`, async () => {
    await clearNotifications();
    await actor.call('old:change', { kind, extra, times: 3 });
    for (const { peer, label } of peers) {
      await peer.notifications.until(`notifications/${kind}/list_changed`);
      const listed = await peer.list(`${kind}/list`, kind);
      assert.ok(
        listed.some(({ name }) => name.endsWith(extra)),
        label,
      );
    }
    await settled(kind === 'prompts' ? 'resources' : 'prompts');
    for (const { peer, label } of peers) {
      assert.equal(peer.notifications.of(`notifications/${kind}/list_changed`).length, 1, label);
      assert.equal(peer.notifications.of(TOOLS_CHANGED).length, 1, label);
    }
  });
}

test('a notification without a change is not relayed', async () => {
  await clearNotifications();
  await actor.call('old:change', { times: 10 });
  await settled();
  for (const { peer, label } of peers) assert.equal(peer.notifications.of(TOOLS_CHANGED).length, 1, label);
});

test('a modern client that does not listen gets no notification', async () => {
  const silent = await Promise.all(
    TRANSPORTS.map((transport) => connectPeer(pml, 'SDK v2 modern', transport, url, { listens: false })),
  );
  await settled();
  for (const peer of silent) {
    assert.deepEqual(peer.notifications.all, []);
  }
});
