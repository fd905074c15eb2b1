import assert from 'node:assert/strict';
import { onBothEngines } from '../../store/testing.ts';
import { assertConsistent } from '../consistency.testing.ts';
import { describeParameters, fold } from '../curation/index.ts';
import { describe, remember, rename, resolve, restore, retire, verifySignature } from '../index.ts';
import { findDuplicateGroups } from '../procedures/index.ts';
import { ana, ben, failureOf, learned, registryOf, saveCapability } from '../testing.ts';

onBothEngines(
  'a folded capability is found as the one that was kept, and comes back with its names',
  async ({ db }) => {
    const registry = registryOf(db);
    const kept = await saveCapability(db, ana, 'fs:keep');
    const other = await saveCapability(db, ana, 'fs:other');
    await rename(registry, ana, 'fs:other', { newName: 'fs:twin' });

    const { names, folded } = await fold(registry, ana, { keep: kept.id, fold: 'fs:twin' });

    assert.deepEqual([...names].sort(), ['fs:other', 'fs:twin']);
    for (const name of ['fs:other', 'fs:twin']) {
      const found = await resolve(db, ana, name);
      assert.deepEqual([found.fqdn, found.deprecatedAlias], [kept.fqdn, name]);
      assert.equal((await verifySignature(registry, ana, found)).code, kept.code, 'the alias is signed');
    }
    assert.match(await failureOf(resolve(db, ana, folded.id)), /capability_not_found/);
    await assertConsistent(db);

    const back = await restore(registry, ana, 'fs:twin');
    assert.deepEqual([back.fqdn, back.name, back.named], [other.fqdn, 'fs:twin', true]);
    assert.equal((await resolve(db, ana, 'fs:other')).fqdn, other.fqdn);
    assert.equal((await resolve(db, ana, 'fs:keep')).fqdn, kept.fqdn);
    await verifySignature(registry, ana, await resolve(db, ana, 'fs:other'));
    await assertConsistent(db);
  },
);

onBothEngines(
  'the FQDN of a folded capability means the kept one, if the fold was signed',
  async ({ db }) => {
    const registry = registryOf(db);
    const kept = await saveCapability(db, ana, 'fs:keep');
    const other = await saveCapability(db, ana, 'fs:other');
    const third = await saveCapability(db, ana, 'fs:third');
    await fold(registry, ana, { keep: 'fs:keep', fold: 'fs:other' });

    const found = await resolve(db, ana, other.fqdn);
    assert.deepEqual([found.fqdn, found.foldedFrom], [kept.fqdn, other.fqdn]);
    assert.equal((await verifySignature(registry, ana, found)).code, kept.code);
    assert.match(await failureOf(resolve(db, ana, `${other.fqdn}@1`)), /capability_not_found/);

    await db.query('update capability_folds set kept = $1', [third.fqdn]);
    const forged = await resolve(db, ana, other.fqdn);
    assert.match(await failureOf(verifySignature(registry, ana, forged)), /signature_invalid/);
  },
);

onBothEngines('a fold is refused where callers would be left with something else', async ({ db }) => {
  const registry = registryOf(db);
  await saveCapability(db, ana, 'fs:keep');
  await saveCapability(db, ana, 'fs:seen', 'project');
  await saveCapability(db, ben, 'fs:bens', 'project');
  const parametersSchema = { type: 'object', properties: { url: { type: 'string' } } };
  await remember(registry, ana, learned('abcd', { name: 'fs:url', parametersSchema }));
  const tryFold = (other: string, keep = 'fs:keep') => failureOf(fold(registry, ana, { keep, fold: other }));

  assert.match(await tryFold('fs:seen'), /seen by more users/);
  assert.match(await tryFold('fs:bens'), /not_allowed/);
  assert.match(await tryFold('fs:keep'), /one capability/);
  assert.match(await tryFold('fs:url'), /takes no "url"/);
  await retire(registry, ana, 'fs:url', 30);
  assert.match(await tryFold('fs:url'), /capability_not_found/);
  await assertConsistent(db);
});

onBothEngines('what was compared is not folded once it has changed or been named', async ({ db }) => {
  const registry = registryOf(db);
  const make = async (hash: string) => (await remember(registry, ana, learned(hash))).capability;
  const [kept, twin, changed] = [await make('a1'), await make('a2'), await make('a3')];
  const compared = { keep: kept.version, fold: twin.version };
  const tryFold = (keep: string, fold_: string) =>
    failureOf(fold(registry, ana, { keep, fold: fold_, compared }));

  await describeParameters(registry, ana, changed.fqdn, { path: 'The file' });
  assert.match(await tryFold(changed.fqdn, twin.fqdn), /version after 1/);
  assert.match(await tryFold(kept.fqdn, changed.fqdn), /version after 1/);
  await rename(registry, ana, twin.fqdn, { newName: 'fs:mine' });
  assert.match(await tryFold(kept.fqdn, twin.fqdn), /named meanwhile/);
  assert.equal((await resolve(db, ana, 'fs:mine')).fqdn, twin.fqdn);
  const other = await make('a4');
  assert.equal(await tryFold(kept.fqdn, other.fqdn), 'done');
  await assertConsistent(db);
});

onBothEngines('a fold that somebody wrote into the database gives no names away', async ({ db }) => {
  const registry = registryOf(db);
  const kept = await saveCapability(db, ana, 'fs:old');
  await rename(registry, ana, 'fs:old', { newName: 'fs:new' });
  const other = await saveCapability(db, ana, 'fs:evil');
  await retire(registry, ana, 'fs:evil', 30);
  await db.query(
    `insert into capability_folds (fqdn, kept, names, folded_by, signature) values ($1, $2, '{fs:old}', 'ana', 'x')`,
    [other.fqdn, kept.fqdn],
  );
  await restore(registry, ana, 'fs:evil');
  assert.equal((await resolve(db, ana, 'fs:old')).fqdn, kept.fqdn);
});

onBothEngines('two folds into each other at once: one wins', async ({ db }) => {
  const registry = registryOf(db);
  await saveCapability(db, ana, 'fs:a');
  await saveCapability(db, ana, 'fs:b');
  const outcomes = await Promise.all([
    failureOf(fold(registry, ana, { keep: 'fs:a', fold: 'fs:b' })),
    failureOf(fold(registry, ana, { keep: 'fs:b', fold: 'fs:a' })),
  ]);
  assert.equal(outcomes.filter((one) => one === 'done').length, 1, outcomes.join('; '));
  await assertConsistent(db);
});

onBothEngines('parameters are described in a version of their own, with the same code', async ({ db }) => {
  const registry = registryOf(db);
  const before = await saveCapability(db, ana, 'fs:read');
  const after = await describeParameters(registry, ana, 'fs:read', {
    path: 'The file',
    other: 'no such parameter',
  });
  assert.deepEqual([after.version, after.code], [2, before.code]);
  const properties = after.parametersSchema.properties as Record<string, { description?: string }>;
  assert.deepEqual([properties.path?.description, properties.other], ['The file', undefined]);
  const record = await describe(registry, ana, await resolve(db, ana, 'fs:read'));
  assert.equal(record.signature_valid, true);
  await verifySignature(registry, ana, await resolve(db, ana, 'fs:read'));
  assert.equal((await describeParameters(registry, ana, 'fs:read', { path: 'Again' })).version, 2);
  await assertConsistent(db);
});

onBothEngines('twins are found only among what the principal may change', async ({ db }) => {
  const registry = registryOf(db);
  const make = (who: typeof ana, hash: string, name?: string) =>
    remember(registry, who, learned(hash, { name, callsHash: 'c'.repeat(64) }));
  await make(ana, 'a1', 'fs:one');
  await make(ana, 'a2');
  await make(ben, 'a3', 'fs:bens');
  const [group, ...more] = await findDuplicateGroups(db, ana);
  assert.deepEqual(more, []);
  assert.equal(group?.likeness, 'calls');
  assert.deepEqual(
    group?.twins.map(({ name }) => name),
    ['fs:one', 'unnamed_a2000000'],
  );
  assert.deepEqual(await findDuplicateGroups(db, ben), []);
});
