import assert from 'node:assert/strict';
import type { Db } from '../store/index.ts';
import { onBothEngines } from '../store/testing.ts';
import { find, rename, resolve, update } from './index.ts';
import { ana, failureOf, keep, learned, registryOf } from './testing.ts';

const ROUNDS = 120;

/** Every record has the name that it claims, no two have one, and its version is the last one there is. */
async function assertConsistent(db: Db): Promise<void> {
  const { rows } = await db.query(
    `select r.id from capability_records r
     left join capability_names n on n.org = r.org and n.project = r.project and n.name = r.display_name
     where n.fqdn is distinct from r.id or n.listed_name is distinct from r.listed_name
       or r.version <> (select max(v.version) from capability_versions v where v.capability_fqdn = r.id)
       or r.version <> (select count(*) from capability_versions v where v.capability_fqdn = r.id)`,
  );
  assert.deepEqual(rows, []);
}

function newCode(db: Db, fqdn: string, code: string) {
  return update(registryOf(db), ana, fqdn, { ...learned('cafe', { code }), routing: 'local' });
}

onBothEngines('of two renames to one name exactly one wins, every time', async ({ db, again }) => {
  const other = await again();
  const [a, b] = [await keep(db, ana, 'a'), await keep(db, ana, 'b')];
  for (let round = 0; round < ROUNDS; round++) {
    const newName = `race:${round}`;
    const outcomes = await Promise.all([
      failureOf(rename(db, ana, a.fqdn, { newName })),
      failureOf(rename(other, ana, b.fqdn, { newName })),
    ]);
    assert.deepEqual(outcomes.toSorted(), [
      'done',
      `name_taken: Capability name '${newName}' already exists in scope acme.web`,
    ]);
    const winner = outcomes[0] === 'done' ? a : b;
    assert.equal((await resolve(db, ana, newName)).fqdn, winner.fqdn);
  }
  await assertConsistent(db);
});

onBothEngines(
  'two that take each other’s names, one that is renamed twice: no deadlock',
  async ({ db, again }) => {
    const other = await again();
    const [a, b] = [await keep(db, ana, 'a'), await keep(db, ana, 'b')];
    for (let round = 0; round < ROUNDS / 2; round++) {
      const outcomes = await Promise.all([
        failureOf(rename(db, ana, a.fqdn, { newName: 'b' })),
        failureOf(rename(other, ana, b.fqdn, { newName: 'a' })),
        failureOf(rename(db, ana, a.fqdn, { newName: `x${round}` })),
        failureOf(rename(other, ana, a.fqdn, { newName: `y${round}` })),
      ]);
      assert.match(outcomes[0] as string, /^name_taken/);
      assert.match(outcomes[1] as string, /^name_taken/);
      assert.deepEqual(outcomes.slice(2), ['done', 'done']);
    }
    await assertConsistent(db);
  },
);

onBothEngines('a rename and updates at once are all kept', async ({ db, again }) => {
  const other = await again();
  const { fqdn } = await keep(db, ana, 'busy');
  for (let round = 0; round < ROUNDS; round++) {
    const outcomes = await Promise.all([
      failureOf(rename(db, ana, fqdn, { newName: `busy:${round}` })),
      failureOf(newCode(other, fqdn, `return ${round};`)),
      failureOf(newCode(db, fqdn, `return -${round};`)),
    ]);
    assert.deepEqual(outcomes, ['done', 'done', 'done']);
    const now = await resolve(db, ana, fqdn);
    assert.deepEqual([now.name, now.version], [`busy:${round}`, 1 + 2 * (round + 1)]);
  }
  await assertConsistent(db);
  assert.equal((await find(db, ana, 'busy:0'))?.fqdn, fqdn);
});
