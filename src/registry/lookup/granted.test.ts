import assert from 'node:assert/strict';
import { ALL_CAPABILITIES, type Principal } from '../../principal.ts';
import { onBothEngines } from '../../store/testing.ts';
import { find, listNamed, NameCache, query, rename, retire } from '../index.ts';
import { currentAndFormerNames } from '../names/index.ts';
import { findServer, registerServer } from '../servers/index.ts';
import { ana, ben, registryOf, saveCapability } from '../testing.ts';
import { grantedCapabilities, maySeeRecord } from './granted.ts';

/** An agent of ana that may use these records. */
function agentWith(...records: string[]): Principal {
  const hasCapabilities = records.some((name) => !name.startsWith('mcp:'));
  const grants = { digest: records.join(), records, hasCapabilities, changingTools: new Set<string>() };
  return { ...ana, agent: 'clerk', grants };
}

onBothEngines('an agent sees the records that its grants name, by every way', async ({ db }) => {
  const { fqdn, id } = await saveCapability(db, ana, 'fs:read');
  const other = await saveCapability(db, ana, 'fs:write');
  const names = await NameCache.open(db);
  const [some, all, none] = [agentWith('fs:read'), agentWith(ALL_CAPABILITIES), agentWith()];
  const spellings = ['fs:read', 'fs:Read', 'mcp__fs__read', 'acme.web:fs:read', fqdn, id];
  for (const spelling of spellings) {
    for (const who of [ana, some, all]) {
      assert.equal((await find(db, who, spelling))?.fqdn, fqdn, spelling);
      assert.equal((await names.find(who, spelling))?.fqdn, fqdn, spelling);
    }
    assert.equal(await find(db, none, spelling), undefined, spelling);
    assert.equal(await names.find(none, spelling), undefined, spelling);
  }
  assert.equal(await find(db, some, 'fs:write'), undefined);
  assert.deepEqual(
    [await maySeeRecord(db, some, fqdn), await maySeeRecord(db, some, other.fqdn)],
    [true, false],
  );
  const lists = async (who: Principal) => [
    (await listNamed(db, who, '', 10)).map(({ name }) => name),
    (await query(db, who, { sort_by: 'name' })).capabilities.map(({ name }) => name),
    (await currentAndFormerNames(db, who, 10)).sort(),
  ];
  for (const list of await lists(some)) assert.deepEqual(list, ['fs:read']);
  for (const list of await lists(all)) assert.deepEqual(list, ['fs:read', 'fs:write']);
  for (const list of await lists(none)) assert.deepEqual(list, []);
  assert.equal((await query(db, some, {})).total, 1);
  assert.deepEqual(await grantedCapabilities(db, some), new Set([fqdn]));
  assert.deepEqual(
    [await grantedCapabilities(db, all), await grantedCapabilities(db, none)],
    [undefined, new Set()],
  );
});

onBothEngines('grants give nothing that the user does not see', async ({ db }) => {
  await saveCapability(db, ben, 'fs:private', 'private');
  for (const who of [agentWith('fs:private'), agentWith(ALL_CAPABILITIES)])
    assert.equal(await find(db, who, 'fs:private'), undefined);
});

onBothEngines('a granted name is the record that has it, or had it last', async ({ db }) => {
  const first = await saveCapability(db, ana, 'fs:read');
  const who = agentWith('fs:read');
  await rename(registryOf(db), ana, 'fs:read', { newName: 'fs:load' });
  for (const name of ['fs:read', 'fs:load'])
    assert.equal((await find(db, who, name))?.fqdn, first.fqdn, name);
  // Retired without a reservation, its names are free for others.
  await retire(registryOf(db), ana, 'fs:load', 0);
  const second = await saveCapability(db, ana, 'fs:read');
  assert.equal((await find(db, who, 'fs:read'))?.fqdn, second.fqdn);
  assert.deepEqual(await grantedCapabilities(db, who), new Set([second.fqdn]));
});

onBothEngines('the record of a server is seen by agents that have the server', async ({ db }) => {
  await registerServer(db, ana, { name: 'fs', routing: 'local', codeUrl: null });
  const has = async (who: Principal) => (await findServer(db, who, 'mcp:fs')) !== undefined;
  assert.deepEqual(
    [await has(ana), await has(agentWith('mcp:fs')), await has(agentWith(ALL_CAPABILITIES, 'mcp:db'))],
    [true, true, false],
  );
});
