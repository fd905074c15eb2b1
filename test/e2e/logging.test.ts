import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import { connectPeer, type Kind, type Peer, TRANSPORTS, type TransportName } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { upReady } from '../support/servers-ready.ts';

const MESSAGE = 'notifications/message';
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const LEVEL_KEY = 'io.modelcontextprotocol/logLevel';

const pml = new Pml(
  { after },
  {
    mcpServers: {
      old: fixtureServer('fixture-legacy.ts', '--name', 'old'),
      new: fixtureServer('fixture-modern.ts', 'stdio'),
      own: { ...fixtureServer('fixture-legacy.ts', '--name', 'own'), pml: { perSession: true } },
    },
  },
);
let url: string;

before(async () => {
  url = await upReady(pml);
});

const said = (peer: Peer) => peer.notifications.of(MESSAGE).map(({ params }) => params.data.said);

const LEGACY: [Kind, TransportName][] = (['SDK v1', 'SDK v2 legacy'] as const).flatMap((kind) =>
  TRANSPORTS.map((transport): [Kind, TransportName] => [kind, transport]),
);

for (const [kind, transport] of LEGACY) {
  describe(`${kind} over ${transport}`, () => {
    let peer: Peer;
    before(async () => {
      peer = await connectPeer(pml, kind, transport, url);
    });

    for (const server of ['old', 'new']) {
      test(`gets log messages of the ${server} server during its call, from the level it set`, async () => {
        await peer.request('logging/setLevel', { level: 'warning' });
        peer.notifications.clear();
        await peer.call(`${server}:log`, { levels: LEVELS });
        await peer.notifications.until(MESSAGE, 5);
        assert.deepEqual(said(peer), LEVELS.slice(3));

        await peer.request('logging/setLevel', { level: 'debug' });
        peer.notifications.clear();
        await peer.call(`${server}:log`, { levels: LEVELS });
        await peer.notifications.until(MESSAGE, 8);
        assert.deepEqual(said(peer), LEVELS);
      });
    }

    test('gets a log message unchanged', async () => {
      peer.notifications.clear();
      await peer.call('old:log', { levels: ['error'] });
      const [message] = await peer.notifications.until(MESSAGE);
      assert.deepEqual(message?.params, { level: 'error', logger: 'old', data: { said: 'error' } });
    });

    test('is refused a level that does not exist', async () => {
      await assert.rejects(peer.request('logging/setLevel', { level: 'loud' }));
    });
  });
}

for (const transport of TRANSPORTS) {
  for (const server of ['old', 'new']) {
    test(`SDK v2 modern over ${transport} gets log messages of the ${server} server from the level that its request names`, async () => {
      const peer = await connectPeer(pml, 'SDK v2 modern', transport, url);
      const log = (_meta?: object) =>
        peer.request('tools/call', {
          name: `${server}:log`,
          arguments: { levels: LEVELS },
          ...(_meta && { _meta }),
        });
      await log({ [LEVEL_KEY]: 'critical' });
      await peer.notifications.until(MESSAGE, 3);
      assert.deepEqual(said(peer), LEVELS.slice(5));
      peer.notifications.clear();
      await log();
      await log({ [LEVEL_KEY]: 'emergency' });
      await peer.notifications.until(MESSAGE);
      assert.deepEqual(said(peer), ['emergency'], 'a request without a level brings no log');
    });
  }
}

test('a log message reaches only the session whose call it belongs to, by that session’s level', async () => {
  const [loud, quiet] = (await Promise.all([
    connectPeer(pml, 'SDK v1', 'stdio', url),
    connectPeer(pml, 'SDK v1', 'HTTP', url),
  ])) as [Peer, Peer];
  await loud.request('logging/setLevel', { level: 'debug' });
  await quiet.request('logging/setLevel', { level: 'alert' });
  const { structuredContent } = await quiet.call('old:state');
  assert.equal(structuredContent.level, 'debug', 'the server logs as much as the most curious session wants');
  await loud.call('old:log', { levels: LEVELS });
  await loud.notifications.until(MESSAGE, 8);
  await quiet.call('old:log', { levels: LEVELS });
  await quiet.notifications.until(MESSAGE, 2);
  assert.deepEqual(said(loud), LEVELS);
  assert.deepEqual(said(quiet), ['alert', 'emergency']);
});

test('a server that starts or restarts after the level was set gets the level', async () => {
  const peer = await connectPeer(pml, 'SDK v1', 'stdio', url);
  await peer.request('logging/setLevel', { level: 'critical' });
  const state = async () => (await peer.call('own:state')).structuredContent;
  assert.equal((await state()).level, 'debug', 'as much as the most curious session wants');
  const { pid } = (await peer.call('own:pid')).structuredContent;
  process.kill(pid, 'SIGKILL');
  // A call that reaches the dying process fails; the next one reaches its successor.
  const hasFailed = () =>
    peer.call('own:pid').then(
      ({ isError }) => isError === true,
      () => true,
    );
  await eventually(async () => !(await hasFailed()), 'it runs again');
  assert.equal((await state()).level, 'debug');
});
