/** No client can reach another's call by guessing request ids, and no server by ids and progress tokens of another. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connectPeer, type Peer } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawSession, textOf } from '../support/raw-session.ts';
import { upReady } from '../support/servers-ready.ts';

const pml = new Pml(
  { after },
  {
    mcpServers: {
      good: fixtureServer('hostile-stdio.ts'),
      // Sends progress and answers for every small id at each call.
      liar: fixtureServer('hostile-stdio.ts', '--meddle'),
    },
  },
);
let url: string;
before(async () => {
  url = await upReady(pml);
});

let calls = 0;
/** A file that nobody has made yet: a call of `good:hold` ends when it is there. */
function newFile(): string {
  calls += 1;
  return join(pml.dir, `call-${calls}`);
}

/** Starts a call in one session, lets `act` attack it, and checks that the call ends as it should. */
async function unharmed(act: (victim: RawSession, id: number) => Promise<unknown>): Promise<void> {
  const victim = await new RawSession(pml).initialize();
  const until = newFile();
  const id = victim.begin('tools/call', {
    name: 'good:hold',
    arguments: { until },
    _meta: { progressToken: 'mine' },
  });
  await victim.call('good:await_held', { until });
  await act(victim, id);
  writeFileSync(until, '');
  assert.equal(textOf(await victim.answerTo(id)), 'held');
  const strange = victim.messages.filter(({ method }) => method === 'notifications/progress');
  assert.deepEqual(strange, [], 'progress that is not its own');
  victim.child.stdin.end();
}

/** Every id that an open call may have, at the client or at the server. */
const IDS = [...Array(40).keys()];

test('a session cannot cancel the requests of another', async () => {
  const attacker = await new RawSession(pml).initialize();
  await unharmed(async () => {
    for (const requestId of IDS)
      attacker.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    await attacker.call('good:echo', { text: 'all were read' });
  });
});

for (const kind of ['SDK v2 legacy', 'SDK v2 modern'] as const) {
  test(`an HTTP client (${kind}) cannot cancel the requests of another`, async () => {
    const victim: Peer = await connectPeer(pml, kind, 'HTTP', url);
    const until = newFile();
    const call = victim.call('good:hold', { until });
    await victim.call('good:await_held', { until });
    const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'notifications/cancelled' };
    await Promise.all(IDS.flatMap((requestId) => [cancel(requestId, {}), cancel(requestId, modern)]));
    writeFileSync(until, '');
    assert.equal((await call).content[0].text, 'held');
  });
}

async function cancel(requestId: number, headers: Record<string, string>): Promise<void> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
  });
  await response.text();
}

test('a server cannot answer the calls of another server, nor report their progress', async () => {
  const other = await new RawSession(pml).initialize();
  await unharmed(async () => {
    assert.equal(textOf(await other.call('liar:echo', { text: 'mine' })), 'mine');
  });
});

test('a server cannot answer the requests of a client before PML does', async () => {
  const session = await new RawSession(pml).initialize();
  const lies = await session.call('liar:echo', { text: 'mine' });
  assert.equal(textOf(lies), 'mine');
  const { result } = await session.request('tools/list');
  assert.ok(Array.isArray(result?.tools));
  assert.ok(!JSON.stringify(session.messages).includes('a lie'));
});
