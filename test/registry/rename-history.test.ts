import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { rename } from '../../src/registry/index.ts';
import { undoRename } from '../../src/registry/names/index.ts';
import { failureOf, ana as owner, registryOf, saveCapability } from '../../src/registry/testing.ts';
import { onBothEngines } from '../../src/store/testing.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, onEachStore } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const config = { mcpServers: { work: fixtureServer('fixture-work.ts') } };

onEachStore(config, (bed) => {
  let ana: Peer;
  let ben: Peer;
  const env = { PML_USER: 'ana' };
  const renames = async (name: string): Promise<string[]> => {
    const { renames: entries } = await ask(ana, 'cap_history', { name });
    return entries.map(
      ({ from, to, user, renamed_by, undo }: Loose) =>
        `${from} → ${to} by ${user}, ${renamed_by}${undo ? ', undo' : ''}`,
    );
  };

  before(async () => {
    [ana, ben] = await Promise.all([asUser(bed, 'ana'), asUser(bed, 'ben')]);
    await execute(ana, { name: 'one', code: 'return "one " + args.x', args: { x: 1 } });
  });

  test('the history says who gave each name: an agent through a tool, a person by the command', async () => {
    assert.deepEqual(await renames('one'), []);
    await ask(ana, 'cap_rename', { name: 'one', new_name: 'my:two' });
    await ask(ana, 'cap_rename', { name: 'my:two', description: 'no new name', visibility: 'project' });
    const typed = await bed.pml.run(['rename', 'my:two', 'my:three'], { env });
    assert.equal(typed.code, 0, typed.stderr);
    assert.deepEqual(await renames('one'), ['my:two → my:three by ana, user', 'one → my:two by ana, agent']);
    const { stdout } = await bed.pml.run(['history', 'one'], { env });
    assert.match(
      stdout,
      /\n\nrenamed: my:two → my:three {2}\S+ {2}ana\nrenamed: one → my:two {2}\S+ {2}ana \(agent\)\n$/,
    );
  });

  test('undo goes back along the history, step by step, and every name keeps working', async () => {
    assert.equal((await ask(ana, 'cap_rename', { name: 'my:three', undo: true })).display_name, 'my:two');
    const undone = await bed.pml.run(['rename', 'my:two', '--undo', '--json'], { env });
    assert.equal(JSON.parse(undone.stdout).display_name, 'one', undone.stderr);
    assert.deepEqual((await renames('one')).slice(0, 2), [
      'my:two → one by ana, user, undo',
      'my:three → my:two by ana, agent, undo',
    ]);
    assert.match(
      await refusal(ana, 'cap_rename', { name: 'one', undo: true }),
      /^bad_request: "one" has no rename left to undo/,
    );
    for (const name of ['one', 'my:two', 'my:three'])
      assert.equal((await execute(ana, { capability: name, args: { x: 2 } })).result, 'one 2');
    await ask(ana, 'cap_rename', { name: 'one', new_name: 'my:four' });
    assert.equal((await ask(ana, 'cap_rename', { name: 'my:four', undo: true })).display_name, 'one');
  });

  test('a capability that was unnamed before is unnamed again', async () => {
    const code = 'return "unnamed " + args.y';
    const first = await execute(ana, { code, args: { y: 1 } });
    await execute(ana, { name: 'my:named', code, args: { y: 1 } });
    assert.deepEqual(await renames('my:named'), [`${first.capabilityName} → my:named by ana, agent`]);
    const record = await ask(ana, 'cap_rename', { name: 'my:named', undo: true });
    assert.deepEqual([record.display_name, record.named], [first.capabilityName, false]);
    assert.ok(!(await ana.toolNames()).some((name) => name.includes('named')));
  });

  test('undo goes alone, and only those who may rename may undo', async () => {
    await ask(ana, 'cap_rename', { name: 'one', new_name: 'my:five' });
    const both = { name: 'my:five', undo: true, tags: ['a'] };
    assert.match(await refusal(ana, 'cap_rename', both), /^invalid_arguments: undo .*: leave out "tags"/);
    assert.match(await refusal(ben, 'cap_rename', { name: 'my:five', undo: true }), /^not_allowed: /);
    assert.match(
      await refusal(ben, 'cap_rename', { name: 'my:named', undo: true }),
      /^capability_not_found: /,
    );
  });
});

onBothEngines('two undos at once take back one rename each, or one is refused', async ({ db }) => {
  const registry = registryOf(db);
  const { fqdn } = await saveCapability(db, owner, 'a:a');
  await rename(registry, owner, fqdn, { newName: 'a:b', renamedBy: 'auto' });
  await rename(registry, owner, fqdn, { newName: 'a:c' });
  const outcomes = await Promise.all([1, 2].map(() => failureOf(undoRename(registry, owner, fqdn))));
  const done = outcomes.filter((outcome) => outcome === 'done').length;
  const { rows } = await db.query<Loose>(
    `select r.display_name as name, (select count(*) from capability_rename_history where undoes is not null) as undone,
       (select count(*) from capability_rename_history where renamed_by = 'auto') as auto
     from capability_records r where id = $1`,
    [fqdn],
  );
  assert.deepEqual(rows[0], { name: done === 2 ? 'a:a' : 'a:b', undone: done, auto: 1 });
  await assert.rejects(db.query('delete from capability_rename_history'), /append-only/);
});
