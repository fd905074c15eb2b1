import assert from 'node:assert/strict';
import type { Principal } from '../../principal.ts';
import type { Db, Queryable } from '../../store/index.ts';
import { rowsReadBy } from '../../store/rows-read.testing.ts';
import { onBothEngines } from '../../store/testing.ts';
import { remember, rename, retire, update } from '../index.ts';
import { ana, ben, cyd, learned, registryOf } from '../testing.ts';
import { findByTools } from './same-tools.ts';

const TOOLS = ['fs:read', 'web:get'];

/** Remembers a capability with these tools, and returns its name. */
async function save(db: Db, who: Principal, hash: string, toolsUsed = TOOLS, uses = 0): Promise<string> {
  const { capability } = await remember(registryOf(db), who, learned(hash, { toolsUsed, name: `t:${hash}` }));
  await db.query('update capability_records set usage_count = $2 where id = $1', [capability.fqdn, uses]);
  return capability.name;
}

const agent = (records: string[]): Principal => ({
  ...ana,
  agent: 'clerk',
  grants: { digest: 'd', hasCapabilities: true, changingTools: new Set(), records },
});

const namesOf = async (db: Queryable, who: Principal, tools = TOOLS, limit?: number) =>
  (await findByTools(db, who, tools, limit)).map(({ name }) => name);

onBothEngines(
  'capabilities are found by their set of tools, own and much used ones first',
  async ({ db }) => {
    const shared = await save(db, ben, 'bbbb', TOOLS, 900);
    await rename(registryOf(db), ben, shared, { visibility: 'project' });
    await save(db, ben, 'cccc');
    const rare = await save(db, ana, 'aaaa', ['web:get', 'fs:read'], 1);
    const usual = await save(db, ana, 'dddd', TOOLS, 40);
    await save(db, ana, 'eeee', ['fs:read']);
    await save(db, ana, 'ffff', [...TOOLS, 'db:query']);
    await save(db, cyd, 'abab');

    assert.deepEqual(await namesOf(db, ana), [usual, rare, shared]);
    assert.deepEqual(await namesOf(db, ana, ['web:get', 'fs:read', 'web:get']), [usual, rare, shared]);
    assert.deepEqual(await namesOf(db, ana, TOOLS, 1), [usual]);
  },
);

onBothEngines('retired capabilities and former versions are not found', async ({ db }) => {
  await retire(registryOf(db), ana, await save(db, ana, 'aaaa'), 30);
  const changed = await save(db, ana, 'bbbb');
  await update(registryOf(db), ana, changed, {
    ...learned('cccc', { toolsUsed: ['db:query'] }),
    routing: 'local',
  });

  assert.deepEqual(await namesOf(db, ana), []);
  assert.deepEqual(await namesOf(db, ana, ['db:query']), [changed]);
});

onBothEngines('an agent finds only what it was given', async ({ db }) => {
  const given = await save(db, ana, 'aaaa');
  await save(db, ana, 'bbbb', TOOLS, 5);

  assert.deepEqual(await namesOf(db, agent([given])), [given]);
  assert.equal((await namesOf(db, agent(['*']))).length, 2);
  assert.deepEqual(await namesOf(db, agent([])), []);
});

/** Many records with the same tools, of which the statistics know nothing. */
const MANY = `with pattern as (select id from workflow_pattern limit 1)
  insert into capability_records (id, display_name, listed_name, org, project, namespace, action, hash, pattern_id,
    created_by, updated_by, tools_used, usage_count)
  select 'acme.web.x.' || n || '.0000', 'x' || n, 'x' || n, 'acme', 'web', 'x', n, '0000', pattern.id, 'ana', 'ana', $1, n % 7
  from generate_series(1, 5000) n, pattern`;

onBothEngines('a search reads a few records of thousands, whatever the statistics say', async ({ db }) => {
  const most = await save(db, ana, 'aaaa', TOOLS, 1000);
  const clerk = agent([most]);
  await db.query('analyze');
  await db.query(MANY, [TOOLS]);
  for (const statistics of ['old', 'new']) {
    if (statistics === 'new') await db.query('analyze');
    for (const who of [ana, clerk]) {
      assert.equal((await namesOf(db, who))[0], most);
      const read = await rowsReadBy(db, (tx) => findByTools(tx, who, TOOLS));
      assert.ok(read > 0 && read < 120, `${statistics} statistics: ${read} rows read`);
    }
  }
});
