import type { JsonSchema } from '../../json.ts';
import type { Queryable } from '../../store/index.ts';
import { announceAll } from '../record/announce.ts';
import type { Capability } from '../record/capability.ts';
import { INHERITED } from './dependencies.ts';

const CALLERS = `select u.fqdn, u.callee from capability_uses u
  join capability_records r on r.id = u.fqdn and r.version = u.version where u.callee = any($1)`;

const BROKEN_THEMSELVES = `select u.fqdn, string_agg(u.broken, '; ' order by u.callee) as reason from capability_uses u
  join capability_records r on r.id = u.fqdn and r.version = u.version
  where u.fqdn = any($1) and u.broken is not null group by u.fqdn`;

const CALLING_STALE = `select u.fqdn, u.callee, c.stale as reason from capability_uses u
  join capability_records r on r.id = u.fqdn and r.version = u.version
  join capability_records c on c.id = u.callee
  where u.fqdn = any($1) and c.stale is not null order by u.callee`;

const MARK = `with judged as (
    select r.id, v.reason from jsonb_to_recordset($1::jsonb) as v(fqdn text, reason text)
    join capability_records r on r.id = v.fqdn where r.stale is distinct from v.reason order by r.id for no key update of r
  ), changed as (
    update capability_records r set stale = left(j.reason, 1000) from judged j where r.id = j.id
    returning r.org, r.project, r.visibility, r.created_by
  )
  select org, project, visibility, created_by as "createdBy", count(*) as count from changed
  group by org, project, visibility, created_by`;

interface Edge {
  fqdn: string;
  callee: string;
}

/** How many records were marked, of those that the same people see. */
type Marked = Pick<Capability, 'org' | 'project' | 'visibility' | 'createdBy'> & { count: number };

/** Marks these records stale or fresh, and all that call them, and says where anything changed. */
export async function refreshStale(tx: Queryable, fqdns: readonly string[]): Promise<Marked[]> {
  const { affected, edges } = await callersOf(tx, fqdns);
  const reasons = await reasonsOf(tx, affected);
  // Upwards from what is broken itself; what calls itself in a circle is met once.
  const calledBy = Map.groupBy(edges, ({ callee }) => callee);
  const pending = [...reasons.keys()];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const { fqdn } of calledBy.get(at) ?? []) {
      if (reasons.has(fqdn)) continue;
      reasons.set(fqdn, inherit(reasons.get(at) as string));
      pending.push(fqdn);
    }
  }
  const judged = [...affected].map((fqdn) => ({ fqdn, reason: reasons.get(fqdn) ?? null }));
  const { rows } = await tx.query<Marked>(MARK, [JSON.stringify(judged)]);
  await announceAll(tx, rows, 'drifted');
  return rows;
}

/** These records and all that call them, however far; one question a level, each as large as what it asks for. */
async function callersOf(
  tx: Queryable,
  fqdns: readonly string[],
): Promise<{ affected: Set<string>; edges: Edge[] }> {
  const affected = new Set(fqdns);
  const edges: Edge[] = [];
  for (let level = [...affected]; level.length > 0; ) {
    const { rows } = await tx.query<Edge>(CALLERS, [level]);
    edges.push(...rows);
    level = [...new Set(rows.map(({ fqdn }) => fqdn))].filter((fqdn) => !affected.has(fqdn));
    for (const fqdn of level) affected.add(fqdn);
  }
  return { affected, edges };
}

/** Why each is stale, where it is by its own calls or by what lies outside of those that are judged. */
async function reasonsOf(tx: Queryable, affected: ReadonlySet<string>): Promise<Map<string, string>> {
  const own = await tx.query<{ fqdn: string; reason: string }>(BROKEN_THEMSELVES, [[...affected]]);
  const reasons = new Map(own.rows.map(({ fqdn, reason }) => [fqdn, reason]));
  const inherited = await tx.query<Edge & { reason: string }>(CALLING_STALE, [[...affected]]);
  for (const { fqdn, callee, reason } of inherited.rows) {
    if (!affected.has(callee) && !reasons.has(fqdn)) reasons.set(fqdn, inherit(reason));
  }
  return reasons;
}

/** The reason as what calls it has it. The name in between may be one that not everybody may see. */
function inherit(reason: string): string {
  return reason.startsWith(INHERITED) ? reason : INHERITED + reason;
}

/** A call that no longer fits, by the version itself or by what it calls. */
export interface BrokenUse {
  callee: string;
  before: JsonSchema;
  passed: JsonSchema[];
}

const BROKEN = `with recursive reached(fqdn, version) as (
    select id, $2::integer from capability_records where id = $1
    union select r.id, r.version from reached x join capability_uses u on u.fqdn = x.fqdn and u.version = x.version
      join capability_records r on r.id = u.callee
  )
  select distinct u.callee, s.schema as "before", u.passed from reached x
  join capability_uses u on u.fqdn = x.fqdn and u.version = x.version
  join tool_schemas s on s.hash = u.schema_hash where u.broken is not null`;

/** What makes a version stale. */
export async function brokenUses(
  db: Queryable,
  { fqdn, version }: { fqdn: string; version: number },
): Promise<BrokenUse[]> {
  const { rows } = await db.query<BrokenUse>(BROKEN, [fqdn, version]);
  return rows;
}
