import type { JsonSchema } from '../../json.ts';
import type { Queryable } from '../../store/index.ts';
import { announceAll } from '../record/announce.ts';
import { type MarkedRecords, markStale } from '../tables/capability-records.ts';
import { inheritedReason, staleReason, type VersionKey } from './dependencies.ts';

const CALLERS = `select u.fqdn, u.callee from capability_uses u
  join capability_records r on r.id = u.fqdn and r.version = u.version where u.callee = any($1)`;

const BROKEN_THEMSELVES = `select u.fqdn, string_agg(u.broken, '; ' order by u.callee) as reason from capability_uses u
  join capability_records r on r.id = u.fqdn and r.version = u.version
  where u.fqdn = any($1) and u.broken is not null group by u.fqdn`;

const CALLING_STALE = `select u.fqdn, u.callee, c.stale as reason from capability_uses u
  join capability_records r on r.id = u.fqdn and r.version = u.version
  join capability_records c on c.id = u.callee
  where u.fqdn = any($1) and c.stale is not null order by u.callee`;

interface Edge {
  fqdn: string;
  callee: string;
}

/** Marks these records and all that call them stale or fresh, and announces every change. */
export async function refreshStale(tx: Queryable, fqdns: readonly string[]): Promise<MarkedRecords[]> {
  const { affected, edges } = await callersOf(tx, fqdns);
  const reasons = await reasonsOf(tx, affected);
  // Passes reasons on from stale records to their callers. Each record is visited once, even in a cycle.
  const calledBy = Map.groupBy(edges, ({ callee }) => callee);
  const pending = [...reasons.keys()];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const { fqdn } of calledBy.get(at) ?? []) {
      if (reasons.has(fqdn)) continue;
      reasons.set(fqdn, inheritedReason(reasons.get(at) as string));
      pending.push(fqdn);
    }
  }
  const judged = [...affected].map((fqdn) => ({ fqdn, reason: reasons.get(fqdn) ?? null }));
  const marked = await markStale(tx, judged);
  await announceAll(tx, marked, 'drifted');
  return marked;
}

/** Collects these records and all that call them, directly or not, with one query for each level. */
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

/** Finds why records are stale: by their own calls, or by a stale callee that is not among them. */
async function reasonsOf(tx: Queryable, affected: ReadonlySet<string>): Promise<Map<string, string>> {
  const own = await tx.query<{ fqdn: string; reason: string }>(BROKEN_THEMSELVES, [[...affected]]);
  const reasons = new Map(own.rows.map(({ fqdn, reason }) => [fqdn, reason]));
  const inherited = await tx.query<Edge & { reason: string }>(CALLING_STALE, [[...affected]]);
  for (const { fqdn, callee, reason } of inherited.rows) {
    if (!affected.has(callee) && !reasons.has(fqdn)) reasons.set(fqdn, inheritedReason(reason));
  }
  return reasons;
}

/** A call that no longer fits, made by a version or by a capability that it calls. */
interface BrokenUse {
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

/**
 * Tells whether the calls that made a version stale fit a caller's own tools, which may differ from those of the scope.
 * `schemaOf` gives the canonical schema of a tool; undefined if the caller does not have it.
 */
export async function fitsTools(
  db: Queryable,
  { fqdn, version }: VersionKey,
  schemaOf: (tool: string) => JsonSchema | undefined,
): Promise<boolean> {
  const { rows } = await db.query<BrokenUse>(BROKEN, [fqdn, version]);
  return rows.every(({ callee, before, passed }) => {
    const schema = schemaOf(callee);
    return schema !== undefined && staleReason(callee, before, schema, passed) === null;
  });
}
