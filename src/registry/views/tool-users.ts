import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { nameFor } from '../record/capability.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';

/** How many capabilities use a tool, and whether one of them no longer fits it. */
export interface ToolUse {
  users: number;
  stale: boolean;
}

export interface CapabilityName {
  id: string;
  name: string;
}

/** A capability and the names of what its newest version calls: `server:tool`, or an FQDN. */
export interface CapabilityCalls extends CapabilityName {
  fqdn: string;
  usageCount: number;
  stale: boolean;
  callees: string[];
}

interface NameRow {
  id: string;
  display: string;
  org: string;
  project: string;
}

/** The newest versions of the capabilities that a principal sees, with what they call in its scope. */
const USES = `capability_uses u join capability_records r on r.id = u.fqdn and r.version = u.version
  where ${VISIBLE} and r.record_type = 'capability' and u.org = $1 and u.project = $2`;
const NAMES = 'r.uid::text as "id", r.display_name as "display", r.org, r.project';

/** Counts the capabilities that use each tool, by `server:tool`. */
export async function countToolUsers(db: Queryable, who: Principal): Promise<Map<string, ToolUse>> {
  const { rows } = await db.query<ToolUse & { callee: string }>(
    `select u.callee, count(*) as "users", bool_or(u.broken is not null) as "stale" from ${USES}
     and u.schema_hash is not null group by u.callee`,
    principalParameters(who),
  );
  return new Map(rows.map(({ callee, users, stale }) => [callee, { users, stale }]));
}

/** Lists the capabilities that use a tool, the most used first, and tells how many there are. */
export async function listToolUsers(
  db: Queryable,
  who: Principal,
  tool: string,
  limit: number,
): Promise<{ users: CapabilityName[]; total: number }> {
  const { rows } = await db.query<NameRow & { total: number }>(
    `select ${NAMES}, count(*) over () as total from ${USES} and u.callee = $5 order by r.usage_count desc, r.id limit $6`,
    [...principalParameters(who), tool, limit],
  );
  const users = rows.map((row) => ({ id: row.id, name: shownName(who, row) }));
  return { users, total: rows[0]?.total ?? 0 };
}

/** Lists capabilities with what they call, the most used first. */
export async function listCalls(db: Queryable, who: Principal, limit: number): Promise<CapabilityCalls[]> {
  const { rows } = await db.query<NameRow & Omit<CapabilityCalls, 'name'>>(
    `select ${NAMES}, r.id as "fqdn", r.usage_count as "usageCount", r.stale is not null as "stale",
       array(select u.callee from capability_uses u where u.fqdn = r.id and u.version = r.version order by u.callee) as "callees"
     from capability_records r
     where ${VISIBLE} and r.record_type = 'capability' and r.org = $1 and r.project = $2
     order by r.usage_count desc, r.id limit $5`,
    [...principalParameters(who), limit],
  );
  return rows.map(({ display, org, project, ...row }) => ({
    ...row,
    name: shownName(who, { id: row.id, display, org, project }),
  }));
}

function shownName(who: Principal, { display, org, project }: NameRow): string {
  return nameFor(who, { name: display, org, project });
}
