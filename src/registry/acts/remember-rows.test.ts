import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Db, Queryable } from '../../store/index.ts';
import { rowsReadBy } from '../../store/rows-read.testing.ts';
import { onBothEngines } from '../../store/testing.ts';
import { find } from '../lookup/resolve.ts';
import { findSameCode } from '../lookup/same-code.ts';
import { findByTools } from '../lookup/same-tools.ts';
import { lockOutputs, saveOutputs } from '../tables/capability-outputs.ts';
import { ana, learned, registryOf } from '../testing.ts';
import { type CallText, storeCalls } from '../usage/store-calls.ts';
import { readFound, rereadDiscoverable } from '../views/discoverable.ts';
import { nearDuplicatesOf } from '../views/near-duplicates.ts';
import { remember, rememberCompared } from './remember.ts';

/** Records with the tools and the calls of the code that is remembered, and all that belongs to them. */
const MANY = [
  `insert into workflow_pattern (id, code_hash, code_snippet, parameters_schema, tools_used)
   select md5('p' || n), md5('c' || n) || md5('d' || n), 'return ' || n, '{}', array['fs:read'] from generate_series(1, 4000) n`,
  `insert into capability_records (id, display_name, listed_name, org, project, namespace, action, hash, pattern_id, code_hash,
     created_by, updated_by, tools_used, calls_hash, usage_count)
   select 'acme.web.fs.' || n || '.0000', 'x' || n, 'x' || n, 'acme', 'web', 'fs', n, '0000', md5('p' || n),
     md5('c' || n) || md5('d' || n), 'ana', 'ana', array['fs:read'], 'calls', n % 7 from generate_series(1, 4000) n`,
  `insert into capability_names (org, project, name, loose_name, listed_name, fqdn)
   select 'acme', 'web', 'x' || n, 'x' || n, 'x' || n, 'acme.web.fs.' || n || '.0000' from generate_series(1, 4000) n`,
  `insert into capability_versions (capability_fqdn, version, pattern_id, updated_by)
   select 'acme.web.fs.' || n || '.0000', 1, md5('p' || n), 'ana' from generate_series(1, 4000) n`,
  `insert into capability_outputs (fqdn, version)
   select 'acme.web.fs.' || n || '.0000', 1 from generate_series(1, 4000) n`,
  `insert into capability_uses (fqdn, version, callee, org, project, passed)
   select 'acme.web.fs.' || n || '.0000', 1, 'fs:read', 'acme', 'web', '[]' from generate_series(1, 4000) n`,
];

let made = 0;

/** All that a run does in the registry that is new code, within one transaction. */
async function rememberNew(tx: Queryable): Promise<void> {
  made += 1;
  const hash = made.toString(16).padStart(4, '0').split('').reverse().join('');
  const code = learned(hash, {
    callsHash: 'calls',
    dependencies: [{ callee: 'fs:read', schema: { type: 'object' }, passed: [{}] }],
    verdicts: [{ tool: 'fs:read', path: `p${made}`, kind: 'data', rule: 'r' }],
  } as object);
  const registry = registryOf({
    ...tx,
    transaction: (body: (inner: Queryable) => unknown) => body(tx),
  } as unknown as Db);
  assert.equal(await findSameCode(tx, ana, code.codeHash), undefined);
  const seen = await findByTools(tx, ana, code.toolsUsed);
  const stored = await rememberCompared(registry, ana, code, ana, seen);
  assert.equal(stored?.created, true);
  const { fqdn = '', name = '' } = stored?.capability ?? {};
  await nearDuplicatesOf(tx, ana, fqdn);
  assert.equal((await find(tx, ana, name))?.fqdn, fqdn);
  assert.equal((await find(tx, ana, fqdn))?.fqdn, fqdn);
  assert.equal((await rereadDiscoverable(tx, ana, [fqdn])).length, 1);
  await storeCalls(tx, [callOf(fqdn)], { mayBeStored: false });
  await saveOutputs(tx, await lockOutputs(tx, [{ fqdn, version: 1 }]));
  const lifecycle = { unusedDays: null, minSuccessRate: null, minCalls: null };
  assert.equal((await readFound(tx, ana, [fqdn], lifecycle)).size, 1);
}

/** A row of the journal, as a batch has it. */
function callOf(fqdn: string): CallText {
  const { user: user_id, ...scope } = ana;
  const kind = { server_id: 'pml', tool: 'x', fqdn, ...scope, user_id, success: true, error: null };
  const members = { id: randomUUID(), duration_ms: 1, called_at: '2026-11-18T10:00:00Z' };
  return {
    ...members,
    kind: JSON.stringify({ ...kind, by_caller: false, cached: false }),
    isCapability: true,
  };
}

/** Often enough that the statements are planned for any parameters. */
function rowsRead(db: Db): Promise<number[]> {
  return Promise.all(Array.from({ length: 8 }, () => rowsReadBy(db, rememberNew)));
}

for (const known of ['no', 'old'])
  onBothEngines(
    `a run that is remembered reads a few rows of thousands, with ${known} statistics and new ones`,
    async ({ db }) => {
      await remember(registryOf(db), ana, learned('eeee', { callsHash: 'calls' }));
      if (known === 'old') await db.query('analyze');
      for (const sql of MANY) await db.query(sql);
      for (const statistics of [known, 'new']) {
        if (statistics === 'new') await db.query('analyze');
        const counts = await rowsRead(db);
        assert.ok(
          Math.min(...counts) > 0 && Math.max(...counts) < 300,
          `${statistics} statistics: ${counts} rows read`,
        );
      }
    },
  );
