import assert from 'node:assert/strict';
import { onBothEngines } from '../../store/testing.ts';
import { describe, find, listNamed, onChange, rename, resolve, restore, retire } from '../index.ts';
import { ana, ben, cyd, dan, failureOf, registryOf, saveCapability } from '../testing.ts';

onBothEngines('FR031 FR032 a renamed capability still answers to all its former names', async ({ db }) => {
  const { fqdn } = await saveCapability(db, ana, 'sum');
  await rename(registryOf(db), ana, 'sum', { newName: 'math:add' });
  const renamed = await rename(registryOf(db), ana, 'sum', { newName: 'math:plus' });

  assert.equal(renamed.fqdn, fqdn);
  assert.equal(renamed.name, 'math:plus');
  assert.equal((await resolve(db, ana, 'math:plus')).deprecatedAlias, undefined);
  for (const former of ['sum', 'math:add']) {
    const found = await resolve(db, ana, former);
    assert.equal(found.fqdn, fqdn);
    assert.equal(found.deprecatedAlias, former);
  }
  const { rows } = await db.query('select alias, target_fqdn from capability_aliases order by alias');
  assert.deepEqual(rows, [
    { alias: 'math:add', target_fqdn: fqdn },
    { alias: 'sum', target_fqdn: fqdn },
  ]);
});

onBothEngines('a client with an outdated list can call by the former listed name', async ({ db }) => {
  const { fqdn } = await saveCapability(db, ana, 'math:sum');
  await rename(registryOf(db), ana, 'math:sum', { newName: 'math:add' });
  const found = await resolve(db, ana, 'mcp__math__sum');
  assert.equal(found.fqdn, fqdn);
  assert.equal(found.deprecatedAlias, 'math:sum');
});

onBothEngines('a capability can have a former name again', async ({ db }) => {
  await saveCapability(db, ana, 'sum');
  await rename(registryOf(db), ana, 'sum', { newName: 'add' });
  const back = await rename(registryOf(db), ana, 'add', { newName: 'sum' });
  assert.equal(back.name, 'sum');
  assert.equal((await resolve(db, ana, 'add')).deprecatedAlias, 'add');
  assert.equal((await resolve(db, ana, 'sum')).deprecatedAlias, undefined);
});

onBothEngines('a name that is or was another one’s is never given away', async ({ db }) => {
  await saveCapability(db, ana, 'sum');
  await rename(registryOf(db), ana, 'sum', { newName: 'add' });
  await saveCapability(db, ana, 'other');
  for (const newName of ['add', 'sum']) {
    assert.equal(
      await failureOf(rename(registryOf(db), ana, 'other', { newName })),
      `name_taken: Capability name '${newName}' already exists in scope acme.web`,
    );
  }
  assert.equal((await resolve(db, ana, 'other')).name, 'other');
});

onBothEngines('a rename leaves fields that are not given', async ({ db }) => {
  const before = await saveCapability(db, ana, 'sum');
  const tagged = await rename(registryOf(db), ana, 'sum', { tags: ['a', 'b', 'a'], description: 'adds' });
  assert.deepEqual([tagged.tags, tagged.description], [['a', 'b'], 'adds']);
  const open = await rename(registryOf(db), ana, 'sum', { visibility: 'public', routing: 'cloud' });
  assert.deepEqual(
    [open.tags, open.description, open.visibility, open.routing],
    [['a', 'b'], 'adds', 'public', 'cloud'],
  );
  assert.equal(open.name, before.name);
  const cleared = await rename(registryOf(db), ana, 'sum', { tags: [] });
  assert.deepEqual([cleared.tags, cleared.visibility], [[], 'public']);
});

onBothEngines('only its creator and an admin of its scope change a capability', async ({ db }) => {
  await saveCapability(db, ana, 'secret');
  await saveCapability(db, ana, 'open', 'public');
  assert.equal(
    await failureOf(rename(registryOf(db), ben, 'secret', { newName: 'mine' })),
    'capability_not_found: Capability not found: secret',
  );
  assert.match(
    await failureOf(rename(registryOf(db), ben, 'open', { newName: 'mine' })),
    /^not_allowed: Only ana/,
  );
  const admin = { ...ben, admin: true };
  assert.equal((await rename(registryOf(db), admin, 'open', { newName: 'ours' })).name, 'ours');
  assert.match(
    await failureOf(rename(registryOf(db), { ...dan, admin: true }, 'ours', { newName: 'mine' })),
    /^not_allowed/,
  );
  // An admin may hide it from everyone, itself included.
  assert.equal(
    (await rename(registryOf(db), admin, 'ours', { visibility: 'private' })).visibility,
    'private',
  );
});

onBothEngines(
  'FR040 each visibility shows a capability to whom it should, by every spelling',
  async ({ db }) => {
    const sees = { private: [ana], project: [ana, ben], org: [ana, ben, cyd], public: [ana, ben, cyd, dan] };
    for (const [visibility, seers] of Object.entries(sees)) {
      const { fqdn, id } = await saveCapability(
        db,
        ana,
        `vis:${visibility}`,
        visibility as keyof typeof sees,
      );
      for (const who of [ana, ben, cyd, dan]) {
        for (const spelling of [
          fqdn,
          id,
          fqdn.replace(/\.\w+$/, ''),
          `acme.web:vis:${visibility}`,
          `${fqdn}@v1`,
        ]) {
          const found = await find(db, who, spelling);
          assert.equal(found?.fqdn, seers.includes(who) ? fqdn : undefined, `${who.user} ${spelling}`);
        }
      }
    }
    assert.equal((await resolve(db, dan, 'vis:public')).name, 'vis:public');
  },
);

onBothEngines('two names with the same listed form get different ones', async ({ db }) => {
  await saveCapability(db, ana, 'a:b_c');
  await saveCapability(db, ana, 'a:b:c');
  await saveCapability(db, ana, 'x');
  await rename(registryOf(db), ana, 'x', { newName: 'a:b-c' });
  const listed = (await listNamed(db, ana, '', 10)).map(({ listedName }) => listedName);
  assert.equal(new Set(listed).size, 3);
  assert.ok(listed.includes('mcp__a__b_c') && listed.includes('mcp__a__b-c'));
  for (const name of listed) assert.equal((await resolve(db, ana, name)).listedName, name);
});

onBothEngines('FR025 everyone on the database hears of a rename once it is kept', async ({ db, again }) => {
  const { fqdn } = await saveCapability(db, ana, 'sum', 'project');
  await saveCapability(db, ana, 'taken');
  const heard: unknown[] = [];
  const stop = await onChange(await again(), (change) => heard.push(change));
  await failureOf(rename(registryOf(db), ana, 'sum', { newName: 'taken' }));
  await rename(registryOf(db), ana, 'sum', { newName: 'add' });
  while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await stop();
  assert.deepEqual(heard, [{ org: 'acme', project: 'web', what: 'renamed', fqdn }]);
});

onBothEngines('whois tells all: aliases, dates, who, and code', async ({ db }) => {
  const kept = await saveCapability(db, ana, 'sum');
  await rename(registryOf(db), ana, 'sum', { newName: 'add' });
  const told = await describe(registryOf(db), ana, await resolve(db, ana, 'add'));
  assert.deepEqual(told.aliases, ['sum']);
  assert.equal(told.created_by, 'ana');
  assert.equal(told.code, kept.code);
  assert.equal(told.version, 1);
  assert.equal(told.verified, false);
  assert.equal(told.forked_from, null);
  assert.deepEqual(told.tools_used, ['fs:read']);
});

onBothEngines('a change is announced to all who see the record before or after it', async ({ db, again }) => {
  const { fqdn } = await saveCapability(db, ana, 'mine');
  const heard: unknown[] = [];
  const stop = await onChange(await again(), (change) => heard.push(change !== 'unknown' && change.only));
  await rename(registryOf(db), ana, fqdn, { description: 'still private' });
  await rename(registryOf(db), ana, fqdn, { visibility: 'private' });
  await rename(registryOf(db), ana, fqdn, { visibility: 'project' });
  await rename(registryOf(db), ana, fqdn, { description: 'seen' });
  await rename(registryOf(db), ana, fqdn, { visibility: 'private' });
  await retire(registryOf(db), ana, fqdn, 30);
  await restore(registryOf(db), ana, fqdn);
  await saveCapability(db, ana, 'new');
  while (heard.length < 8) await new Promise((resolve) => setTimeout(resolve, 5));
  await stop();
  assert.deepEqual(heard, ['ana', 'ana', undefined, undefined, undefined, 'ana', 'ana', 'ana']);
});
