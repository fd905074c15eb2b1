import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openDb } from '../../src/store/index.ts';
import { connectPeer, type Loose, type Peer, TOOLS_CHANGED } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { execute, onEachStore } from '../support/test-bed.ts';
import { ask } from '../support/tool-answers.ts';

const config = {
  mcpServers: { work: fixtureServer('fixture-work.ts') },
  lifecycle: { minCalls: 3 },
};
const FAILS = 'if (args.fail) throw new Error("as told"); return (await mcp.work.read({ path: "a" })).path';

/** Waits until the client has heard that its list changed in this way; it may hear of earlier changes first. */
async function heardListing(peer: Peer, name: string, isListed: boolean): Promise<void> {
  do {
    await peer.notifications.until(TOOLS_CHANGED);
    peer.notifications.clear();
  } while ((await peer.toolNames()).includes(name) !== isListed);
}

onEachStore(config, (bed) => {
  let peer: Peer;
  const isListed = async () => (await peer.toolNames()).includes('mcp__my__moody');
  const call = async (fail: boolean) => (await peer.call('my:moody', { fail })).isError === true;

  before(async () => {
    peer = await bed.peer();
    await execute(peer, { name: 'my:moody', code: FAILS, args: { fail: false } });
    await execute(peer, { name: 'my:calm', code: 'return 1' });
  });

  test('a capability that fails leaves the list, which clients hear, and stays callable and visible', async () => {
    assert.ok(await isListed());
    for (let turn = 0; turn < 2; turn++) assert.ok(await call(true));
    peer.notifications.clear();
    assert.ok(await call(true));
    await heardListing(peer, 'mcp__my__moody', false);
    assert.ok((await peer.toolNames()).includes('mcp__my__calm'));
    const { capabilities } = await ask(peer, 'cap_list', { sort_by: 'name' });
    const why =
      '1 of its last 4 calls succeeded, less than 50%, and the last one failed; it is listed again when a call succeeds';
    assert.deepEqual(
      capabilities.map(({ name, unlisted }: Loose) => [name, unlisted]),
      [
        ['my:calm', undefined],
        ['my:moody', why],
      ],
    );
    const { listing, unlisted } = await ask(peer, 'cap_stats', { name: 'my:moody' });
    const { last_used_at, ...rest } = listing;
    assert.ok(Date.now() - Date.parse(last_used_at) < 600_000);
    assert.deepEqual(rest, {
      listed: false,
      why,
      recent_calls: 4,
      recent_success_rate: 0.25,
      settings: { unusedDays: 90, minSuccessRate: 0.5, minCalls: 3 },
    });
    assert.deepEqual(unlisted, { unused: 0, failing: 1 });
    const calm = await ask(peer, 'cap_stats', { name: 'my:calm' });
    assert.equal(calm.listing.listed, true);
  });

  test('the command line says so', async () => {
    assert.match(
      (await bed.pml.run(['list'])).stdout,
      /my:moody .*unlisted: 1 of its last 4 calls succeeded/,
    );
    assert.match(
      (await bed.pml.run(['stats', 'my:moody'])).stdout,
      /^Not listed as a tool: 1 of its last 4 calls succeeded, less than 50%/m,
    );
    assert.match(
      (await bed.pml.run(['stats'])).stdout,
      /^1 are not listed as tools \(0 unused, 1 failing\); pml list says which\.$/m,
    );
  });

  test('it comes back when a call succeeds, by whatever spelling', async () => {
    peer.notifications.clear();
    const { content } = await peer.call('mcp__my__moody', { fail: false });
    assert.equal(content[0].text, 'a');
    await heardListing(peer, 'mcp__my__moody', true);
    assert.equal((await ask(peer, 'cap_stats', { name: 'my:moody' })).listing.listed, true);
  });

  test('an unnamed capability says why it is not listed', async () => {
    const { capabilityName } = await execute(peer, { code: 'return "nameless"' });
    const { listing } = await ask(peer, 'cap_stats', { name: capabilityName });
    assert.equal(listing.listed, false);
    assert.equal(listing.why, 'it has no name yet; cap_rename gives it one');
  });

  test('code that makes the same calls as a capability gets a warning that names it', async () => {
    const first =
      'const a = await mcp.work.read({ path: "a" }); const b = await mcp.work.query({ sql: "SELECT 1" }); return [a, b]';
    const made = await execute(peer, { name: 'my:report', code: first });
    assert.equal(made.warnings, undefined);
    const other = `${first.replace('[a, b]', '{ a, b, other: true }')}`;
    const twin = await execute(peer, { code: other });
    assert.deepEqual(twin.warnings, [
      'This makes the same calls in the same order as "my:report". If that does what you need, call it, or change it with cap_update, instead of keeping two. Call: pml_execute({"intent":"use my:report","capability":"my:report","args":{}})',
    ]);
    assert.equal(Object.keys(twin)[0], 'warnings', 'the first thing that a model reads');
    // Known already: the answer names it, and nothing else.
    const repeated = await execute(peer, { code: other.replace('"a"', '"z"') });
    assert.deepEqual(repeated.warnings, [
      `This code is the capability "${twin.capabilityName}". Next time call it instead of sending code: pml_execute({"intent":"use ${twin.capabilityName}","capability":"${twin.capabilityName}","args":{"path":"z"}})`,
    ]);
    const turned =
      'const b = await mcp.work.query({ sql: "SELECT 1" }); return [b, await mcp.work.read({ path: "a" })]';
    assert.equal((await execute(peer, { code: turned })).warnings, undefined, 'another order');
    assert.equal(
      (await execute(peer, { code: 'return (await mcp.work.read({ path: "a" })).path + "!"' })).warnings,
      undefined,
    );
    await ask(peer, 'cap_fork', { source: 'my:report', name: 'my:fork' });
    const { code } = await ask(peer, 'cap_whois', { name: 'my:fork' });
    const updated = await ask(peer, 'cap_update', {
      name: 'my:fork',
      code: code.replace('[a, b]', '[b, a]'),
    });
    // Its own source is no duplicate either; the unnamed one is.
    assert.equal(updated.warnings.length, 1);
    assert.doesNotMatch(updated.warnings[0], /my:report/);
    const merged = await ask(peer, 'cap_merge', { sources: ['my:calm', 'my:moody'], name: 'my:both' });
    assert.equal(merged.warnings, undefined);
    const again = await ask(peer, 'cap_merge', { sources: ['my:calm', 'my:moody'], name: 'my:both2' });
    assert.match(again.warnings[0], /same calls in the same order as "my:both"/);
    const stranger = await bed.peer('SDK v2 legacy', 'stdio', { env: { PML_USER: 'stranger' } });
    const theirs = await execute(stranger, { code: other.replace('other', 'theirs') });
    assert.equal(theirs.warnings, undefined, 'what a stranger may not see');
  });
});

describe('a capability that nobody uses', () => {
  const pml = new Pml({ after }, config);

  test('leaves the list after the time that the config says, and comes back when it is called', async () => {
    const first = await connectPeer(pml, 'SDK v2 legacy', 'stdio', '');
    await execute(first, { name: 'my:old', code: 'return "old"' });
    await first.close();
    await pml.run(['down']);
    const db = await openDb({ home: pml.home });
    await db.query(
      `update capability_records set last_used_at = now() - interval '91 days' where display_name = 'my:old'`,
    );
    await db.close();
    const peer = await connectPeer(pml, 'SDK v2 legacy', 'stdio', '');
    const { listing } = await ask(peer, 'cap_stats', { name: 'my:old' });
    // The daemon answers by now; before, the list was that of the last start.
    assert.ok(!(await peer.toolNames()).includes('mcp__my__old'));
    assert.equal(listing.why, 'not used for 91 days, more than 90; it is listed again when it is called');
    assert.deepEqual((await ask(peer, 'cap_stats')).unlisted, { unused: 1, failing: 0 });
    peer.notifications.clear();
    assert.equal((await peer.call('my:old')).content[0].text, 'old');
    await heardListing(peer, 'mcp__my__old', true);
  });
});
