import assert from 'node:assert/strict';
import type { Queryable } from '../../store/index.ts';
import { onBothEngines } from '../../store/testing.ts';
import { rename, resolve } from '../index.ts';
import { ana, registryOf, saveCapability } from '../testing.ts';
import { STATEMENTS } from './lookup-sql.ts';

/** PostgreSQL plans a prepared statement for its parameters five times before it compares a plan for any parameters. */
const PLANNED_FOR_EACH = 5;
const LOOKUPS = 20;
const MANY_NAMES = `insert into capability_names (org, project, name, loose_name, listed_name, fqdn)
  select 'acme', 'web', 'n' || n, 'n' || n, 'n' || n, $1 from generate_series(1, 2000) n`;

onBothEngines('a lookup is planned once, not for each name', async ({ db }) => {
  const { fqdn, id } = await saveCapability(db, ana, 'my-reader');
  await rename(registryOf(db), ana, 'my-reader', { newName: 'fs:read_json' });
  // In a small table every plan is cheap.
  await db.query(MANY_NAMES, [fqdn]);
  await db.query('analyze capability_names');
  const spellings = ['fs:read_json', 'mcp__fs__read_json', fqdn, id].flatMap((name) => [name, `${name}@v1`]);

  // In one transaction, and so in one session: each has its own plans.
  const planned = await db.transaction(async (tx) => {
    const before = await customPlans(tx);
    for (let n = 0; n < LOOKUPS; n++) for (const spelling of spellings) await resolve(tx, ana, spelling);
    const after = await customPlans(tx);
    return [...after].map(([statement, count]) => [statement, count - (before.get(statement) ?? 0)] as const);
  });

  assert.ok(planned.length >= 4, 'the lookups are prepared');
  assert.deepEqual(
    planned.filter(([, count]) => count > PLANNED_FOR_EACH),
    [],
  );
});

/** How often each lookup was planned for its parameters in this session. */
async function customPlans(tx: Queryable): Promise<Map<string, number>> {
  const lookups = new Set(Object.values(STATEMENTS).flatMap((kinds) => Object.values(kinds)));
  const { rows } = await tx.query<{ statement: string; custom_plans: number }>(
    'select statement, custom_plans from pg_prepared_statements',
  );
  return new Map(
    rows
      .filter(({ statement }) => lookups.has(statement))
      .map(({ statement, custom_plans }) => [statement, custom_plans]),
  );
}
