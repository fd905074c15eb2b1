import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, isAlive, processesOf } from '../../src/testing/wait.ts';
import { connectPeer, failureOf, type Loose, type Peer } from '../support/clients.ts';
import { statusOf } from '../support/daemon.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { serversReady } from '../support/servers-ready.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const server = (name: string) => fixtureServer('fixture-legacy.ts', '--name', name);

async function open(pml: Pml, options: { cwd?: string; env?: Record<string, string> }): Promise<Peer> {
  await onUsualEngine(pml);
  const peer = await connectPeer(pml, 'SDK v1', 'stdio', '', options);
  await serversReady(pml);
  return peer;
}

const pidOf = async (peer: Peer, name: string) => (await peer.call(`${name}:pid`)).structuredContent.pid;

test('sessions with different configs share the daemon and nothing else', async (t) => {
  const pml = new Pml(t);
  const config = { mcpServers: { one: server('one'), same: server('same') } };
  const first = pml.project('first', config);
  const second = pml.project('second', { mcpServers: { two: server('two'), same: server('same') } });
  const [a, b] = [await open(pml, { cwd: first }), await open(pml, { cwd: second })] as [Peer, Peer];

  const status = await statusOf(pml);
  assert.equal(status.sessions, 2);
  assert.deepEqual(
    status.workspaces.map(({ config, sessions }) => [config, sessions]),
    [
      [`${first}/pml.json`, 1],
      [`${second}/pml.json`, 1],
    ],
  );

  // Neither sees the other's servers, and an entry that both have is two processes.
  const [seen, other] = [await a.toolNames(), await b.toolNames()];
  assert.ok(seen.includes('mcp__one__echo') && !seen.some((name) => name.startsWith('mcp__two__')));
  assert.ok(other.includes('mcp__two__echo') && !other.some((name) => name.startsWith('mcp__one__')));
  assert.match(await failureOf(a.call('two:echo')), /(Unknown tool|not found): two:echo/);
  assert.match(await failureOf(b.call('one:echo')), /(Unknown tool|not found): one:echo/);
  assert.notEqual(await pidOf(a, 'same'), await pidOf(b, 'same'));
  await a.call('same:put', { value: 'of a' });
  assert.deepEqual((await b.call('same:get')).structuredContent, { kept: null });

  // Neither sees, or is notified of, changes of the other's servers.
  await a.call('same:change', { extra: 'for_a' });
  await a.untilListed('mcp__same__for_a');
  assert.ok(!(await b.toolNames()).includes('mcp__same__for_a'));
  for (const uri of ['fixture://readme', 'fixture://pixel']) await b.watch(uri);
  await a.call('one:touch', { uri: 'fixture://readme' });
  await b.call('two:touch', { uri: 'fixture://pixel' });
  const updates = await b.notifications.until('notifications/resources/updated');
  assert.deepEqual(
    updates.map(({ params }) => params.uri),
    ['fixture://pixel'],
  );

  // When one leaves, the other keeps everything.
  await a.close();
  assert.equal((await b.call('same:echo')).structuredContent.server, 'same');
});

test('sessions of one config in two scopes, or with other variables expanded in it, share nothing', async (t) => {
  const pml = new Pml(t, {
    mcpServers: { it: { ...server('it'), env: { WHO: `\${WHO:-nobody}` } } },
  });
  const envs = [{}, { PML_PROJECT: 'another' }, { WHO: 'somebody' }, { PML_USER: 'ben' }];
  const peers = [];
  for (const env of envs) peers.push(await open(pml, { env: env as Record<string, string> }));
  const pids: Loose[] = [];
  for (const peer of peers) pids.push(await pidOf(peer, 'it'));
  // Another user in the same scope shares the workspace.
  assert.equal(new Set(pids).size, 3);
  assert.equal(pids[3], pids[0]);
  assert.deepEqual(
    (await statusOf(pml)).workspaces.map(({ scope, sessions }) => [scope, sessions]),
    [
      ['local.default', 2],
      ['local.another', 1],
      ['local.default', 1],
    ],
  );
});

test('pml down leaves no process behind, neither servers nor sessions', async (t) => {
  const pml = new Pml(t, {
    mcpServers: {
      shared: server('shared'),
      own: { ...server('own'), pml: { perSession: true } },
      modern: fixtureServer('fixture-modern.ts', 'stdio'),
    },
  });
  const other = pml.project('other', { mcpServers: { far: server('far') } });
  const peers = [await open(pml, {}), await open(pml, {}), await open(pml, { cwd: other })] as Peer[];
  await peers[0]?.call('own:pid');
  await peers[1]?.call('own:pid');
  const status = await statusOf(pml);
  const pids = status.workspaces.flatMap(({ servers }) => servers.map(({ pid }) => pid as number));
  assert.equal(pids.length, 5);
  for (const pid of [status.pid, ...pids]) assert.ok(isAlive(pid), `${pid} runs`);

  const { code, stdout } = await pml.run(['down']);
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`PML stopped \\(process ${status.pid}\\)`));
  for (const pid of pids) assert.ok(!isAlive(pid), `server ${pid} still runs`);
  await Promise.allSettled(peers.map((peer) => peer.close()));
  await eventually(() => processesOf(pml.dir).length === 0, 'daemon and sessions are gone');
});
