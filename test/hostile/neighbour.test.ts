/** The acts of one user neither show in another's list, nor remove anything from it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectPeer, type Peer, TOOLS_CHANGED } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { failing } from '../support/test-bed.ts';
import { onUsualEngine } from '../support/usual-engine.ts';

const pml = new Pml(
  { after },
  {
    mcpServers: { good: fixtureServer('hostile-stdio.ts') },
    lifecycle: { minSuccessRate: 0.5, minCalls: 3 },
  },
);
let ana: Peer;
let ben: Peer;
before(async () => {
  await onUsualEngine(pml);
  [ana, ben] = (await Promise.all(
    ['ana', 'ben'].map((user) => connectPeer(pml, 'SDK v1', 'stdio', '', { env: { PML_USER: user } })),
  )) as [Peer, Peer];
  for (const peer of [ana, ben]) await peer.untilListed('mcp__good__echo');
});

const FAILS =
  'if (args.fail) throw new Error("told to"); if (args.slow) await new Promise((done) => setTimeout(done, 20_000)); return args.fail;';

test('others get no notification when a private capability is named, renamed, changed or retired', async () => {
  await ana.call('pml_execute', { intent: 'x', code: 'return "warm"', name: 'ana:warm' });
  await ana.untilListed('mcp__ana__warm');
  // Changes are announced a moment after they are listed. What PML has to say of those before arrives before this answer.
  await sleep(1000);
  for (const peer of [ana, ben]) await peer.request('ping');
  const before = {
    ana: ana.notifications.of(TOOLS_CHANGED).length,
    ben: ben.notifications.of(TOOLS_CHANGED).length,
  };
  await ana.call('pml_execute', { intent: 'x', code: 'return "secret"', name: 'ana:secret' });
  await ana.call('cap_rename', { name: 'ana:secret', description: 'still secret' });
  await ana.call('cap_update', { name: 'ana:secret', code: 'return "more secret"' });
  await ana.call('cap_retire', { name: 'ana:secret' });
  await ana.notifications.until(TOOLS_CHANGED, before.ana + 1);
  // All sessions are notified at the same moment, and this call is answered after it.
  await ben.request('ping');
  assert.equal(ben.notifications.of(TOOLS_CHANGED).length, before.ben);
});

test('those who can see a capability are notified when it appears or disappears', async () => {
  await ana.call('pml_execute', { intent: 'x', code: 'return "shown"', name: 'ana:shown' });
  await ana.call('cap_rename', { name: 'ana:shown', visibility: 'project' });
  await ben.untilListed('mcp__ana__shown');
  const heard = ben.notifications.of(TOOLS_CHANGED).length;
  await ana.call('cap_rename', { name: 'ana:shown', visibility: 'private' });
  await ben.notifications.until(TOOLS_CHANGED, heard + 1);
  assert.ok(!(await ben.toolNames()).includes('mcp__ana__shown'));
});

test("another's bad input does not take a shared capability off the list, and its creator's does", async () => {
  await ana.call('pml_execute', {
    intent: 'x',
    code: FAILS,
    args: { fail: false, slow: false },
    name: 'ana:moody',
  });
  await ana.call('cap_rename', { name: 'ana:moody', visibility: 'project' });
  await ben.untilListed('mcp__ana__moody');
  const listed = async () =>
    (await ana.call('cap_stats', { name: 'ana:moody' })).structuredContent.listing.listed;
  const capability = 'ana:moody';
  for (let i = 0; i < 6; i++)
    assert.match((await failing(ben, { capability, args: { fail: true, slow: false } })).message, /told to/);
  // Nor does code that its creator is made to run.
  const trap =
    'for (let i = 0; i < 6; i++) { try { await mcp.ana.moody({ fail: true, slow: false }) } catch {} } return 1;';
  await ben.call('pml_execute', { intent: 'x', code: trap, name: 'ben:trap' });
  await ben.call('cap_rename', { name: 'ben:trap', visibility: 'project' });
  assert.equal(
    (await ana.call('pml_execute', { intent: 'x', capability: 'ben:trap' })).structuredContent.result,
    1,
  );
  // Nor do limits that the creator lowered for one call.
  for (let i = 0; i < 4; i++)
    await failing(ana, { capability, args: { fail: false, slow: true }, options: { timeout: 1 } });
  assert.equal(await listed(), true);
  for (let i = 0; i < 4; i++) await failing(ana, { capability, args: { fail: true, slow: false } });
  assert.equal(await listed(), false);
});
