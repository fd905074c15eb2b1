import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { onEachStore, TestBed } from '../support/test-bed.ts';
import { ask, asUser } from '../support/tool-answers.ts';

const mcpServers = { desk: fixtureServer('fixture-desk.ts') };

/** Calls a tool that must succeed, and returns what it answers. */
async function call(peer: Peer, tool: string, args: object): Promise<Loose> {
  const { content, isError } = await peer.call(`desk:${tool}`, args);
  assert.equal(isError, undefined, JSON.stringify(content));
  return JSON.parse(content[0].text);
}

/** Does what an agent would do to write a note about a customer, call by call. */
async function writeNote(
  peer: Peer,
  name: string,
  text: string,
  password = `hunter2-${name}`,
): Promise<void> {
  const { auth } = await call(peer, 'login', { user: 'ana', password });
  const { customer } = await call(peer, 'find', { name, token: auth.token });
  await call(peer, 'note', { id: customer.id, text, channel: 'mail', token: auth.token });
}

/** Writes notes in sessions of one user, which end each time. */
async function writeNotes(
  bed: TestBed,
  user: string,
  notes: readonly [name: string, text: string][],
): Promise<void> {
  for (const [name, text] of notes) {
    const peer = await asUser(bed, user);
    await writeNote(peer, name, text);
    await peer.close();
  }
}

const NOTES: [string, string][] = [
  ['Globex', 'They ask for an invoice'],
  ['Initech', 'Call back on Monday'],
  ['Hooli', 'The order is late'],
];

function proposalsOf(peer: Peer, isAwaited = (_: Loose) => true): Promise<Loose[]> {
  return eventually(async () => {
    const { proposals } = await ask(peer, 'cap_stats');
    return proposals.some(isAwaited) && proposals;
  }, 'a proposal is made');
}

onEachStore({ mcpServers }, (bed) => {
  test('calls that recur for the third time, in three sessions, are proposed to their user alone', async () => {
    await writeNotes(bed, 'ana', NOTES.slice(0, 2));
    const peer = await asUser(bed, 'ana');
    assert.deepEqual((await ask(peer, 'cap_stats')).proposals, []);
    await writeNotes(bed, 'ana', NOTES.slice(2));
    const [proposal, ...others] = await proposalsOf(peer);
    assert.deepEqual(others, []);
    assert.deepEqual(
      { ...proposal, last_seen_at: undefined },
      {
        calls: 'desk:login → desk:find → desk:note',
        times: 3,
        last_seen_at: undefined,
        replay: 'exact',
        code: [
          'const step1 = await mcp.desk.login({ password: args.password, user: "ana" });',
          'const step2 = await mcp.desk.find({ name: args.name, token: step1.auth.token });',
          'return await mcp.desk.note({ channel: "mail", id: step2.customer.id, text: args.text, token: step1.auth.token });',
        ].join('\n'),
      },
    );
    assert.deepEqual((await ask(await asUser(bed, 'ben'), 'cap_stats')).proposals, []);
    // Nothing was remembered without being asked.
    assert.equal((await ask(peer, 'cap_list', { unnamedOnly: true })).total, 0);
  });

  test('no secret is stored, and nothing of the first two times', async () => {
    const rows = await bed.rows('select to_jsonb(p)::text as text from call_proposals p');
    assert.equal(rows.length, 1);
    const text = JSON.stringify(rows);
    assert.match(text, /Hooli/);
    for (const secret of ['hunter2', 'a9s8d7f6g5h4', 'Globex', 'Initech'])
      assert.ok(!text.includes(secret), secret);
    const log = join(bed.pml.home, 'log');
    const logged = readdirSync(log).map((file) => readFileSync(join(log, file), 'utf8'));
    assert.ok(!logged.join('').includes('hunter2'));
  });
});

describe('with "auto"', () => {
  const bed = new TestBed({ mcpServers, curation: { auto: true } });

  test('a program that replays exactly is remembered, verifies, and works for other data', async () => {
    await writeNotes(bed, 'ana', NOTES);
    const peer = await asUser(bed, 'ana');
    const [proposal] = await proposalsOf(peer, ({ capability }) => capability);
    assert.match(proposal?.capability, /^unnamed_/);
    await ask(peer, 'cap_rename', { name: proposal?.capability, new_name: 'desk:annotate' });
    const args = { password: 'correct horse', name: 'Umbrella', text: 'New address' };
    const { structuredContent } = await peer.call('desk:annotate', args);
    const found = await call(peer, 'find', { name: 'Umbrella', token: '-' });
    assert.deepEqual(structuredContent, { noted: found.customer.id, text: 'New address', channel: 'mail' });
    const { verified } = await ask(peer, 'cap_verify', { name: 'desk:annotate' });
    assert.equal(verified, true);
  });

  test('a failure ends a sequence', async () => {
    const peer = await asUser(bed, 'ben');
    for (let turn = 0; turn < 4; turn++) {
      await call(peer, 'find', { name: `Name ${turn}`, token: '-' });
      await peer.call('desk:refuse');
      await call(peer, 'note', { id: 'CUS-1', text: `${turn}`, channel: 'mail', token: '-' });
      await peer.call('desk:refuse');
    }
    // The next calls recur: once they are proposed, everything before it has been read.
    await writeNotes(bed, 'ben', NOTES);
    const proposals = await proposalsOf(peer);
    assert.deepEqual(
      proposals.map(({ calls }) => calls),
      ['desk:login → desk:find → desk:note'],
    );
  });

  test('a program whose calls return more than is kept is proposed, but not replayed nor remembered', async () => {
    for (let turn = 0; turn < 3; turn++) {
      const peer = await asUser(bed, 'dan');
      await call(peer, 'large', { size: 100_000 + turn });
      await call(peer, 'find', { name: 'LARGE-12345', token: '-' });
      await peer.close();
    }
    const peer = await asUser(bed, 'dan');
    const [{ calls, replay, capability }] = (await proposalsOf(peer)) as [Loose];
    assert.deepEqual([calls, replay, capability], ['desk:large → desk:find', 'not replayed', undefined]);
  });

  test('"learning.plainCalls": false learns nothing', async () => {
    const cwd = bed.pml.project('quiet', { mcpServers, learning: { plainCalls: false } });
    await bed.url();
    for (const [name, text] of NOTES) {
      const quiet = await bed.peer('SDK v2 legacy', 'stdio', { env: { PML_USER: 'eve' }, cwd });
      await writeNote(quiet, name, text);
      await quiet.close();
    }
    await writeNotes(bed, 'eve', NOTES);
    const [{ times }] = (await proposalsOf(await asUser(bed, 'eve'))) as [Loose];
    assert.equal(times, 3);
  });
});
