import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Db } from '../../store/index.ts';
import { freshFolder, onBothEngines } from '../../store/testing.ts';
import { Keys, NameCache, rename, retire, signOldHeads, verifySignature } from '../index.ts';
import { ana, failureOf, registryOf, saveCapability } from '../testing.ts';

/** The database as an earlier version left it. */
async function unsign(db: Db): Promise<void> {
  await db.query('update capability_records set head_signature = null');
  await db.query('update capability_names set signature = null');
}

/** A home whose key has not signed any heads yet. */
function homeOfOldKey(t: TestContext): string {
  const home = freshFolder(t);
  mkdirSync(join(home, 'keys'));
  return home;
}

onBothEngines(
  'records of an earlier version are signed once, and run by all their names',
  async ({ db, t }) => {
    const registry = registryOf(db);
    const kept = await saveCapability(db, ana, 'old:name');
    await rename(registry, ana, 'old:name', { newName: 'new:name' });
    const gone = await saveCapability(db, ana, 'old:gone');
    await retire(registry, ana, 'old:gone', 30);
    await unsign(db);
    const names = await NameCache.open(db);
    const run = async (name: string) =>
      failureOf(names.resolve(ana, name).then((found) => verifySignature(registry, ana, found)));
    assert.match(await run('new:name'), /^signature_invalid: .*has no signature/);

    const home = homeOfOldKey(t);
    assert.equal(await signOldHeads(registry, home), 2);
    for (const name of ['new:name', 'old:name', 'mcp__old__name', kept.fqdn, kept.id])
      assert.equal(await run(name), 'done', name);
    assert.match(await run('old:gone'), /^capability_not_found/);
    await db.query('update capability_records set retired_at = null where id = $1', [gone.fqdn]);
    assert.match(await run(gone.fqdn), /^signature_invalid/);

    await unsign(db);
    assert.equal(await signOldHeads(registry, home), 0, 'once in the life of a key');
    assert.match(await run('new:name'), /^signature_invalid/);
  },
);

onBothEngines('an interrupted signing resumes, and skips records that would not run', async ({ db, t }) => {
  const registry = registryOf(db);
  const [one, two, three] = [
    await saveCapability(db, ana, 'a:one'),
    await saveCapability(db, ana, 'a:two'),
    await saveCapability(db, ana),
  ];
  await db.query('update capability_records set head_signature = null where id <> $1', [one.fqdn]);
  await db.query('alter table capability_versions disable trigger user');
  await db.query(`update capability_versions set signature = null where capability_fqdn = $1`, [two.fqdn]);
  assert.equal(await signOldHeads(registry, homeOfOldKey(t)), 1);
  assert.equal(await failureOf(verifySignature(registry, ana, three)), 'done');
  assert.match(await failureOf(verifySignature(registry, ana, two)), /^signature_invalid/);
});

onBothEngines('more records than fit into one transaction are signed', async ({ db, t }) => {
  for (let n = 0; n < 210; n++) await saveCapability(db, ana);
  await unsign(db);
  assert.equal(await signOldHeads(registryOf(db), homeOfOldKey(t)), 210);
});

onBothEngines('a new key has no old heads to sign', async ({ db, t }) => {
  const home = freshFolder(t);
  const keys = await Keys.open(home, db);
  assert.ok(existsSync(join(home, 'keys', 'heads-signed')));
  assert.equal(await signOldHeads({ db, keys }, home), 0);
});
