import assert from 'node:assert/strict';
import type { Principal } from '../../principal.ts';
import type { Db } from '../../store/index.ts';
import { rowsReadBy } from '../../store/rows-read.testing.ts';
import { onBothEngines } from '../../store/testing.ts';
import { remember, rename } from '../index.ts';
import { ana, ben, learned, registryOf } from '../testing.ts';
import { nearDuplicatesOf } from './near-duplicates.ts';

const CALLS = 'calls';

/** Remembers a capability that makes these calls, and returns its FQDN. */
async function save(db: Db, who: Principal, hash: string, uses = 0, name?: string): Promise<string> {
  const code = learned(hash, { callsHash: CALLS, ...(name !== undefined && { name }) });
  const { fqdn } = (await remember(registryOf(db), who, code)).capability;
  await db.query('update capability_records set usage_count = $2 where id = $1', [fqdn, uses]);
  return fqdn;
}

onBothEngines(
  'twins are the named ones first, then the most used; others of whom they are private to',
  async ({ db }) => {
    const one = await save(db, ana, 'aaaa');
    await save(db, ana, 'bbbb', 90);
    await save(db, ana, 'cccc', 3, 'ns:rare');
    await save(db, ana, 'dddd', 70, 'ns:usual');
    await save(db, ben, 'eeee', 900, 'ns:hidden');
    await rename(registryOf(db), ben, await save(db, ben, 'ffff', 10, 'ns:shared'), {
      visibility: 'project',
    });

    assert.deepEqual(await nearDuplicatesOf(db, ana, one), ['ns:usual', 'ns:shared', 'ns:rare']);
    const grants = {
      digest: 'd',
      hasCapabilities: true,
      changingTools: new Set<string>(),
      records: ['ns:rare'],
    };
    assert.deepEqual(await nearDuplicatesOf(db, { ...ana, agent: 'clerk', grants }, one), ['ns:rare']);
  },
);

/** Many records that make the same calls, of which the statistics know nothing. */
const MANY = `with pattern as (select id from workflow_pattern limit 1)
  insert into capability_records (id, display_name, listed_name, org, project, namespace, action, hash, pattern_id,
    created_by, updated_by, calls_hash, usage_count)
  select 'acme.web.x.' || n || '.0000', 'x' || n, 'x' || n, 'acme', 'web', 'x', n, '0000', pattern.id, 'ana', 'ana', $1, n % 7
  from generate_series(1, 5000) n, pattern`;

onBothEngines(
  'a search for twins reads a few records of thousands, whatever the statistics say',
  async ({ db }) => {
    const one = await save(db, ana, 'aaaa');
    await save(db, ana, 'bbbb', 1000, 'ns:most');
    await db.query('analyze');
    await db.query(MANY, [CALLS]);
    for (const statistics of ['old', 'new']) {
      if (statistics === 'new') await db.query('analyze');
      assert.equal((await nearDuplicatesOf(db, ana, one))[0], 'ns:most');
      const read = await rowsReadBy(db, (tx) => nearDuplicatesOf(tx, ana, one));
      assert.ok(read > 0 && read < 60, `${statistics} statistics: ${read} rows read`);
    }
  },
);
