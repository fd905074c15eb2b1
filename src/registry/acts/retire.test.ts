import assert from 'node:assert/strict';
import type { Principal } from '../../principal.ts';
import { onBothEngines } from '../../store/testing.ts';
import {
  describe,
  find,
  fork,
  listNamed,
  query,
  rename,
  resolve,
  restore,
  retire,
  update,
} from '../index.ts';
import { retiredHint } from '../names/index.ts';
import { ana, ben, dan, failureOf, learned, registryOf, saveCapability } from '../testing.ts';

onBothEngines(
  'a retired capability is gone from every list and name, and comes back whole',
  async ({ db }) => {
    const { fqdn, id } = await saveCapability(db, ana, 'old:way');
    await rename(registryOf(db), ana, 'old:way', { newName: 'new:way' });
    const retired = await retire(registryOf(db), ana, 'old:way', 30);
    assert.equal(retired.fqdn, fqdn);
    assert.ok((await describe(registryOf(db), ana, retired)).retired_at);
    for (const name of [fqdn, id, 'old:way', 'new:way', 'mcp__new__way', 'newWay'])
      assert.equal(await find(db, ana, name), undefined, name);
    assert.equal((await query(db, ana, {})).total, 0);
    assert.deepEqual(await listNamed(db, ana, '', 10), []);

    const restored = await restore(registryOf(db), ana, 'new:way');
    assert.deepEqual([restored.fqdn, restored.name, restored.named], [fqdn, 'new:way', true]);
    assert.equal((await resolve(db, ana, 'old:way')).fqdn, fqdn);
    assert.equal((await restore(registryOf(db), ana, 'new:way')).fqdn, fqdn);
  },
);

onBothEngines(
  'the names of a retired capability are reserved, then free; its FQDN never is',
  async ({ db }) => {
    const { fqdn } = await saveCapability(db, ana, 'kept');
    await retire(registryOf(db), ana, 'kept', 30);
    assert.match(await failureOf(saveCapability(db, ana, 'kept')), /^name_taken/);
    await restore(registryOf(db), ana, fqdn);
    await retire(registryOf(db), ana, 'kept', 0);

    const heir = await saveCapability(db, ben, 'kept');
    assert.notEqual(heir.fqdn, fqdn);
    assert.equal((await resolve(db, ben, 'kept')).fqdn, heir.fqdn);
    const back = await restore(registryOf(db), ana, fqdn);
    assert.deepEqual([back.fqdn, back.named], [fqdn, false]);
    assert.match(back.name, /^unnamed_/);
    assert.equal((await resolve(db, ana, back.name)).fqdn, fqdn);
  },
);

onBothEngines('a name is said to be of a retired capability to those who may see it', async ({ db }) => {
  const told = (who: Principal, name: string) => retiredHint(db, who, name);
  const { fqdn, id } = await saveCapability(db, ana, 'old:way');
  await rename(registryOf(db), ana, 'old:way', { newName: 'new:way' });
  assert.equal(await told(ana, 'new:way'), undefined);
  await retire(registryOf(db), ana, 'new:way', 30);
  const retired = '"new:way" is retired. cap_restore brings it back.';
  for (const name of [fqdn, id, 'old:way', 'new:way', 'new:way@v1', 'cap:new:way', 'mcp__new__way'])
    assert.deepEqual([name, await told(ana, name), await told(ben, name)], [name, retired, undefined]);
  assert.equal(await told(ana, 'x\0y'), undefined);
});

onBothEngines('only those who may change a capability retire and restore it', async ({ db }) => {
  const open = await saveCapability(db, ana, 'open', 'public');
  await saveCapability(db, ana, 'secret');
  assert.match(await failureOf(retire(registryOf(db), ben, 'open', 30)), /^not_allowed/);
  assert.equal(
    await failureOf(retire(registryOf(db), ben, 'secret', 30)),
    'capability_not_found: Capability not found: secret',
  );
  await retire(registryOf(db), ana, 'open', 30);
  await retire(registryOf(db), ana, 'secret', 30);
  assert.match(await failureOf(restore(registryOf(db), ben, open.fqdn)), /^not_allowed/);
  assert.equal(
    await failureOf(restore(registryOf(db), ben, 'secret')),
    'capability_not_found: Capability not found: secret',
  );
});

onBothEngines('FR044 FR047 a fork is a record of one’s own that says where it came from', async ({ db }) => {
  const source = await saveCapability(db, ana, 'shared', 'public');
  await update(registryOf(db), ana, 'shared', {
    ...learned('beef', { code: 'return 2;' }),
    routing: 'local',
  });
  await saveCapability(db, ana, 'secret');

  const copy = await fork(registryOf(db), dan, 'shared@v1', 'mine:shared');
  assert.deepEqual(
    [copy.org, copy.createdBy, copy.version, copy.visibility, copy.code],
    ['elsewhere', 'dan', 1, 'private', source.code],
  );
  assert.equal((await describe(registryOf(db), dan, copy)).forked_from, source.fqdn);
  assert.equal((await fork(registryOf(db), dan, 'shared', 'mine:latest')).code, 'return 2;');
  assert.match(await failureOf(fork(registryOf(db), dan, 'shared', 'mine:shared')), /^name_taken/);
  assert.equal(
    await failureOf(fork(registryOf(db), dan, 'acme.web:secret', 'x')),
    'capability_not_found: Capability not found: acme.web:secret',
  );
  assert.match(await failureOf(fork(registryOf(db), dan, 'shared', 'a b')), /^invalid_name/);
  // Its source is shown only to those who may see it.
  await rename(registryOf(db), ana, 'shared', { visibility: 'private' });
  assert.equal((await describe(registryOf(db), dan, copy)).forked_from, null);
});
