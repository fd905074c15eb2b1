import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import { connectPeer, type Loose, type Peer } from '../support/clients.ts';
import { serverOf } from '../support/daemon.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { serversReady, upReady } from '../support/servers-ready.ts';
import { CHANGED, execute, failing, onEachStore, TestBed } from '../support/test-bed.ts';
import { ask, refusal } from '../support/tool-answers.ts';

const text = { type: 'string' };
const READ = { type: 'object', properties: { path: text }, required: ['path'] };
const WIDER = { type: 'object', properties: { path: text, limit: { type: 'number' } }, required: ['path'] };
const STRICTER = { type: 'object', properties: { path: text, mode: text }, required: ['path', 'mode'] };
const WHY = 'tool "files:read" now needs "mode"';
const THROUGH = `through a capability that it calls: ${WHY}`;

const config = { mcpServers: { files: fixtureServer('fixture-shift.ts') } };

/** Gives the server other tools, then waits until the client has heard of it and the capability is in this state. */
async function shift(peer: Peer, tools: object, stale: string | undefined, name = 'my:read'): Promise<void> {
  await peer.call('files:shift', { tools });
  await eventually(async () => (await ask(peer, 'cap_lookup', { name })).stale === stale, `stale: ${stale}`);
}

async function described(peer: Peer, name: string): Promise<string> {
  const tools = await peer.list('tools/list', 'tools');
  return tools.find((tool: Loose) => tool.name === name)?.description;
}

onEachStore(config, (bed) => {
  let peer: Peer;

  before(async () => {
    peer = await bed.peer('SDK v2 legacy', 'stdio');
    const code = 'const r = await mcp.files.read({ path: "a" }); return "read " + r.path';
    await execute(peer, { name: 'my:read', intent: 'read it', code });
    await execute(peer, {
      name: 'my:twice',
      code: 'return [await mcp.my.read(), await mcp.my.read({ path: "b" })]',
    });
    await execute(peer, { name: 'my:free', code: 'return 1' });
  });

  test('a schema that the code no longer fits makes it stale everywhere, at once, and clients hear of it', async () => {
    peer.notifications.clear();
    await shift(peer, { read: STRICTER }, WHY);
    await peer.notifications.until(CHANGED);
    assert.equal((await ask(peer, 'cap_whois', { name: 'my:read' })).stale, WHY);
    const { capabilities } = await ask(peer, 'cap_list', { sort_by: 'name' });
    const listed = Object.fromEntries(capabilities.map((one: Loose) => [one.name, one.stale]));
    assert.deepEqual(listed, { 'my:free': undefined, 'my:read': WHY, 'my:twice': THROUGH });
    assert.equal(await described(peer, 'mcp__my__read'), `[stale: ${WHY}] read it\nCalls files:read.`);
    assert.match(
      await described(peer, 'mcp__my__twice'),
      /^\[stale: through a capability that it calls: tool/,
    );
  });

  test('a call of it says so before anything runs, however it is called, and is not counted', async () => {
    const said = `capability_stale: Capability "my:read" is stale: ${WHY}. Nothing was run.`;
    for (const name of ['my:read', 'mcp__my__read', 'cap:my:read', 'my:read@v1'])
      assert.equal(await refusal(peer, name), said, name);
    const { error } = (await peer.call('my:read')).structuredContent;
    assert.match(error.hint, /cap_update/);
    assert.equal((await failing(peer, { capability: 'my:read' })).code, 'capability_stale');
    const failed = await failing(peer, { code: 'console.log("ran"); return mcp.my.read({ path: "x" })' });
    assert.equal(`${failed.code}: ${failed.message}`, said);
    assert.equal(
      await refusal(peer, 'my:twice'),
      `capability_stale: Capability "my:twice" is stale: ${THROUGH}. Nothing was run.`,
    );
    // A computed name is refused when the run reaches it.
    const late = await failing(peer, { code: 'return mcp[args.at as string]()', args: { at: 'my:read' } });
    assert.equal(late.code, 'capability_stale');
    assert.equal((await ask(peer, 'cap_lookup', { name: 'my:read' })).success_rate, 1);
    assert.equal((await peer.call('my:free')).content[0].text, '1');
  });

  test('the command line shows it', async () => {
    const list = await bed.pml.run(['list']);
    assert.match(list.stdout, /my:read .*stale: tool "files:read" now needs "mode"/);
    assert.match(
      (await bed.pml.run(['lookup', 'my:read'])).stdout,
      /^stale +tool "files:read" now needs "mode"$/m,
    );
    const run = await bed.pml.run(['run', 'my:read']);
    assert.equal(run.code, 1);
    assert.match(run.stderr, /Capability "my:read" is stale: tool "files:read" now needs "mode"/);
  });

  test('it recovers when the tool fits again, with another description and more parameters', async () => {
    peer.notifications.clear();
    await shift(peer, { read: { ...WIDER, description: 'reads' } }, undefined);
    await peer.notifications.until(CHANGED);
    assert.equal((await ask(peer, 'cap_lookup', { name: 'my:twice' })).stale, undefined);
    assert.equal(await described(peer, 'mcp__my__read'), 'read it\nCalls files:read.');
    assert.equal((await peer.call('my:read')).content[0].text, 'read a');
  });

  test('a tool that disappears, and returns', async () => {
    await shift(peer, { write: READ }, 'tool "files:read" is gone');
    assert.match(
      await refusal(peer, 'my:twice'),
      /^capability_stale: .* tool "files:read" is gone\. Nothing was run\.$/,
    );
    await shift(peer, { read: READ }, undefined);
    assert.equal((await peer.call('my:read')).content[0].text, 'read a');
  });

  test('an update for the new schema is fresh; the version before it stays stale until the tool fits it', async () => {
    await shift(peer, { read: STRICTER }, WHY);
    const { code } = await ask(peer, 'cap_whois', { name: 'my:read' });
    await ask(peer, 'cap_update', { name: 'my:read', code: code.replace('})', ', mode: "m" })') });
    for (const name of ['my:read', 'my:twice', 'my:read@v2'])
      assert.equal((await ask(peer, 'cap_lookup', { name })).stale, undefined, name);
    assert.equal((await peer.call('my:read')).content[0].text, 'read a');
    assert.equal((await ask(peer, 'cap_lookup', { name: 'my:read@v1' })).stale, WHY);
    assert.match(await refusal(peer, 'my:read@v1'), /^capability_stale/);
    await shift(peer, { read: READ }, undefined, 'my:read@v1');
    assert.equal((await peer.call('my:read@v1')).content[0].text, 'read a');
  });

  test('a workspace that hides the tool marks nothing for the others of its scope', async () => {
    const files = { ...config.mcpServers.files, pml: { tools: ['shift'] } };
    const cwd = bed.pml.project('hiding', { mcpServers: { files } });
    const hiding = await bed.peer('SDK v2 legacy', 'stdio', { cwd });
    await hiding.untilListed('mcp__files__shift');
    assert.ok(!(await hiding.toolNames()).includes('mcp__files__read'));
    await serversReady(bed.pml);
    for (const one of [peer, hiding])
      assert.equal((await ask(one, 'cap_lookup', { name: 'my:read' })).stale, undefined);
    const { error } = (await hiding.call('my:read')).structuredContent;
    assert.match(error.message, /There is no tool or capability "files:read"/);
    await hiding.close();
  });

  test('a server that is down is no drift', async () => {
    // PML starts it again after half a second, so on a busy machine it may be back before anybody looks.
    await eventually(async () => {
      await peer.call('files:die').catch(() => {});
      return (await serverOf(bed.pml, 'files')).state !== 'ready';
    }, 'the server is down');
    for (const name of ['my:read', 'my:twice'])
      assert.equal((await ask(peer, 'cap_lookup', { name })).stale, undefined, name);
    await eventually(async () => (await peer.call('my:read')).isError === undefined, 'the server is back');
  });
});

describe('two daemons on one PostgreSQL', () => {
  const bed = new TestBed(config, { onPostgres: true });
  const second = new Pml({ after }, config);
  let here: Peer;
  let there: Peer;

  before(async () => {
    here = await bed.peer();
    second.env.PML_DATABASE_URL = bed.pml.env.PML_DATABASE_URL as string;
    there = await connectPeer(second, 'SDK v2 legacy', 'HTTP', await upReady(second));
    await execute(here, { name: 'my:read', code: 'return (await mcp.files.read({ path: "a" })).path' });
  });

  test('a change that one daemon sees is known to the other, and its clients hear of it', async () => {
    there.notifications.clear();
    await shift(here, { read: STRICTER }, WHY);
    await there.notifications.until(CHANGED);
    assert.equal((await ask(there, 'cap_lookup', { name: 'my:read' })).stale, WHY);
    // Its own server has not changed, so it still runs there.
    assert.equal((await there.call('my:read')).content[0].text, 'a');
    await shift(there, { read: STRICTER }, WHY);
    await eventually(async () => (await there.call('my:read')).isError === true, 'it is refused there too');
  });

  test('when both see the same change at once, it is one change', async () => {
    for (let turn = 0; turn < 10; turn++) {
      const [schema, stale] = turn % 2 === 0 ? [READ, undefined] : [STRICTER, WHY];
      await Promise.all([shift(here, { read: schema }, stale), shift(there, { read: schema }, stale)]);
      // On a busy machine a daemon may report its list of the turn before now, and then that of this one.
      for (const peer of [here, there])
        await eventually(
          async () => (await ask(peer, 'cap_lookup', { name: 'my:read' })).stale === stale,
          `turn ${turn}: stale: ${stale}`,
        );
    }
  });
});
