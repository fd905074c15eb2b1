import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Peer, TOOLS_CHANGED } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, onEachStore } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const config = {
  mcpServers: { work: fixtureServer('fixture-work.ts') },
  lifecycle: { minCalls: 3 },
};

onEachStore(config, (bed) => {
  let ana: Peer;
  let ben: Peer;
  const feedback = (peer: Peer, success: boolean, note?: string) =>
    ask(peer, 'cap_feedback', { name: 'my:sum', success, ...(note !== undefined && { note }) });
  const listing = async () => (await ask(ana, 'cap_stats', { name: 'my:sum' })).listing;

  before(async () => {
    [ana, ben] = await Promise.all([asUser(bed, 'ana'), asUser(bed, 'ben')]);
    await execute(ana, { name: 'my:sum', code: 'return args.a + args.b', args: { a: 1, b: 2 } });
    await ask(ana, 'cap_rename', { name: 'my:sum', visibility: 'project' });
    await execute(ana, { name: 'my:own', code: 'return "own " + args.x', args: { x: 1 } });
  });

  test('spec AC15: the feedback of the creator is evidence: bad takes a capability off the list, good brings it back', async () => {
    const { recent_calls } = await listing();
    ana.notifications.clear();
    for (let turn = 0; turn < 5; turn++) await feedback(ana, false, `wrong ${turn}`);
    await ana.notifications.until(TOOLS_CHANGED);
    const failing = await listing();
    assert.deepEqual([failing.listed, failing.recent_calls], [false, recent_calls + 5]);
    assert.match(failing.why, /less than 50%, and the last one failed/);
    const record = await feedback(ana, true);
    assert.equal(record.display_name, 'my:sum');
    assert.equal((await listing()).listed, true);
  });

  test('it is no call: counters and statistics stay', async () => {
    const before = await ask(ana, 'cap_whois', { name: 'my:sum' });
    const after = await feedback(ana, false);
    assert.deepEqual(
      [after.usage_count, after.success_rate, after.feedback.failures],
      [before.usage_count, before.success_rate, before.feedback.failures + 1],
    );
  });

  test('bad feedback of others is kept, and takes nothing off the list; good feedback counts', async () => {
    await feedback(ana, true);
    const { recent_calls } = await listing();
    for (let turn = 0; turn < 25; turn++) await feedback(ben, false, 'I do not like it');
    assert.deepEqual([(await listing()).listed, (await listing()).recent_calls], [true, recent_calls]);
    await feedback(ben, true, 'now it works');
    assert.equal((await listing()).recent_calls, Math.min(20, recent_calls + 1));
  });

  test('the creator reads all notes, others read their own; every note is bounded and without secrets', async () => {
    await feedback(ana, false, `token ghp_${'a1B2c3D4e5F6'.repeat(3)} ${'x'.repeat(5000)}`);
    const { feedback: seen } = await ask(ana, 'cap_whois', { name: 'my:sum' });
    assert.deepEqual(new Set(seen.notes.map(({ by }: { by: string }) => by)), new Set(['ana', 'ben']));
    assert.ok(
      seen.notes.every(({ note }: { note: string }) => note.length <= 2000 && !note.includes('ghp_a')),
    );
    const { feedback: shown } = await ask(ben, 'cap_whois', { name: 'my:sum' });
    assert.deepEqual(
      [shown.successes, shown.failures, shown.notes.map(({ note }: { note: string }) => note)],
      [seen.successes, seen.failures, ['now it works']],
    );
  });

  test('a capability that one may not see, a server and a version get none', async () => {
    const give = (peer: Peer, name: string) => refusal(peer, 'cap_feedback', { name, success: false });
    assert.match(JSON.stringify(await give(ben, 'my:own')), /Capability not found: my:own/);
    assert.match(JSON.stringify(await give(ana, 'mcp:work')), /Capability not found: mcp:work/);
    assert.match(JSON.stringify(await give(ana, 'my:sum@v1')), /Name the capability without/);
  });

  test('pml feedback does the same', async () => {
    const env = { PML_USER: 'ana' };
    const said = await bed.pml.run(['feedback', 'my:own', 'bad', '--note', 'drops a line'], { env });
    assert.deepEqual([said.code, said.stdout], [0, 'my:own@1 has your feedback\n'], said.stderr);
    const { feedback: kept } = await ask(ana, 'cap_whois', { name: 'my:own' });
    assert.deepEqual([kept.failures, kept.notes[0].note], [1, 'drops a line']);
    assert.match(
      (await bed.pml.run(['whois', 'my:own'], { env })).stdout,
      /feedback +\{"successes":0,"failures":1/,
    );
    assert.equal((await bed.pml.run(['feedback', 'my:own', 'perhaps'], { env })).code, 2);
  });
});
