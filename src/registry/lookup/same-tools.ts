import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import type { Capability } from '../record/capability.ts';
import { CAPABILITY } from '../record/record-sql.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';
import { seesAllCapabilities } from './granted.ts';

export interface CapabilityByTools extends Capability {
  /** True if PML made its parameters of the literals of a run. */
  readonly isLifted: boolean;
}

/** More are never returned, whatever the caller asks for. If there are more, one that is not returned need not be new. */
export const MAX_FOUND = 24;

/** A user sees what is private to the user and what the scope shares. */
const OF_USER = `select id from capabilities_by_tools($1, $2, $3, $5, ${MAX_FOUND}) id`;
/** An agent may see few among thousands, so its records are tried one by one. */
const OF_AGENT = `select id from unnest(granted_capabilities($1, $2, $4)) id`;

// `materialized` and `offset 0` keep the planner from joining in another order: it reads each candidate by its key.
const select = (candidates: string) => `with candidate as materialized (${candidates})
  select ${CAPABILITY}, coalesce(p.lifted, false) as "isLifted" from candidate c
  cross join lateral (select * from capability_records where id = c.id offset 0) r
  cross join lateral (select * from workflow_pattern where id = r.pattern_id offset 0) p
  where ${VISIBLE} and r.org = $1 and r.project = $2 and r.tools_used @> $5 and r.tools_used <@ $5
  order by r.created_by = $3 desc, r.usage_count desc, r.last_used_at desc, r.id limit $6`;

const STATEMENTS = { user: select(OF_USER), agent: select(OF_AGENT) };

/**
 * Finds capabilities of the principal's scope that use exactly these tools, whatever their order: its own first, then
 * those that are used most. Of thousands it compares only those whose use has the greatest magnitude, the newest first.
 */
export async function findByTools(
  db: Queryable,
  who: Principal,
  toolsUsed: readonly string[],
  limit = MAX_FOUND,
): Promise<CapabilityByTools[]> {
  const statement = STATEMENTS[seesAllCapabilities(who) ? 'user' : 'agent'];
  const parameters = [...principalParameters(who), [...new Set(toolsUsed)], Math.min(limit, MAX_FOUND)];
  const { rows } = await db.query<CapabilityByTools>(statement, parameters);
  return rows;
}

const KEYS = `select r.id as "fqdn", r.version from (${OF_USER}) c cross join lateral (
    select * from capability_records where id = c.id offset 0) r
  where ${VISIBLE} and r.org = $1 and r.project = $2 and r.tools_used @> $5 and r.tools_used <@ $5`;

/** Lists the versions of the capabilities that `findByTools` finds for a user. */
export async function keysByTools(
  db: Queryable,
  who: Principal,
  toolsUsed: readonly string[],
): Promise<{ fqdn: string; version: number }[]> {
  const { rows } = await db.query<{ fqdn: string; version: number }>(KEYS, [
    ...principalParameters(who),
    [...new Set(toolsUsed)],
  ]);
  return rows;
}
