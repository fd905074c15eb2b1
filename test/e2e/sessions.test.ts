import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isAlive, waitForExit } from '../../src/testing/wait.ts';
import { connectPeer, KINDS, type Kind, type Peer, type TransportName } from '../support/clients.ts';
import { statusOf } from '../support/daemon.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { upReady } from '../support/servers-ready.ts';

const pml = new Pml(
  { after },
  {
    mcpServers: {
      shared: fixtureServer('fixture-legacy.ts', '--name', 'shared'),
      own: { ...fixtureServer('fixture-legacy.ts', '--name', 'own'), pml: { perSession: true } },
    },
  },
);
let url: string;

before(async () => {
  url = await upReady(pml);
});

// A modern client on HTTP has no session: the protocol does not tell clients apart.
const WITH_SESSIONS: [Kind, TransportName][] = [
  ...KINDS.map((kind): [Kind, TransportName] => [kind, 'stdio']),
  ['SDK v1', 'HTTP'],
  ['SDK v2 legacy', 'HTTP'],
];

async function pidOf(peer: Peer, server: string): Promise<number> {
  return (await peer.call(`${server}:pid`)).structuredContent.pid;
}

test('ten sessions share one process of a server, and its state', async () => {
  const peers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => {
      const [kind, transport] = WITH_SESSIONS[i % WITH_SESSIONS.length] as [Kind, TransportName];
      return connectPeer(pml, kind, transport, url);
    }),
  );
  const pids = await Promise.all(peers.map((peer) => pidOf(peer, 'shared')));
  assert.equal(new Set(pids).size, 1);
  await peers[0]?.call('shared:put', { value: 'for all' });
  for (const peer of peers) {
    assert.deepEqual((await peer.call('shared:get')).structuredContent, { kept: 'for all' });
  }
  const status = await statusOf(pml);
  const shared = status.workspaces.flatMap(({ servers }) => servers).filter(({ name }) => name === 'shared');
  assert.deepEqual(
    shared.map(({ pid }) => pid),
    [pids[0]],
  );
  await Promise.all(peers.map((peer) => peer.close()));
});

test('with perSession each session has its own process, with its own state', async () => {
  const peers = await Promise.all(
    WITH_SESSIONS.map(([kind, transport]) => connectPeer(pml, kind, transport, url)),
  );
  const pids = await Promise.all(peers.map((peer) => pidOf(peer, 'own')));
  assert.equal(new Set(pids).size, peers.length);
  await Promise.all(peers.map((peer, i) => peer.call('own:put', { value: i })));
  const kept = await Promise.all(peers.map((peer) => peer.call('own:get')));
  assert.deepEqual(
    kept.map(({ structuredContent }) => structuredContent.kept),
    peers.map((_, i) => i),
  );
  for (const [i, peer] of peers.entries()) assert.equal(await pidOf(peer, 'own'), pids[i]);

  const [first, ...rest] = peers as [Peer, ...Peer[]];
  await first.close();
  await waitForExit(pids[0] as number);
  for (const [i, peer] of rest.entries()) assert.equal(await pidOf(peer, 'own'), pids[i + 1]);
  await Promise.all(rest.map((peer) => peer.close()));
  for (const pid of pids) await waitForExit(pid);
  assert.ok(isAlive(await pidOf(await connectPeer(pml, 'SDK v1', 'HTTP', url), 'shared')));
});

test('with perSession only the session that owns the server sees, and is notified of, a changed list', async () => {
  const [mine, other] = (await Promise.all([
    connectPeer(pml, 'SDK v1', 'stdio', url),
    connectPeer(pml, 'SDK v2 legacy', 'HTTP', url),
  ])) as [Peer, Peer];
  await Promise.all([mine.untilListed('mcp__own__echo'), other.untilListed('mcp__own__echo')]);
  await mine.call('own:change', { extra: 'mine_alone' });
  await mine.untilListed('mcp__own__mine_alone');
  assert.ok(!(await other.toolNames()).includes('mcp__own__mine_alone'));
});

test('a call to a session’s own server waits until the server has started', async () => {
  const peer = await connectPeer(pml, 'SDK v1', 'stdio', url);
  assert.ok((await pidOf(peer, 'own')) > 0);
});
