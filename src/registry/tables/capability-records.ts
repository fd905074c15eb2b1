import type { Queryable } from '../../store/index.ts';
import type { CachePolicy, Caching } from '../record/caching.ts';
import type { Routing, Visibility } from '../record/capability.ts';
import { assignments, type Columns, insertion, NOW, run, type Sql, sql } from './sql.ts';

/** A row of `capability_records`, apart from its counters. */
export interface RecordRow {
  /** The FQDN. */
  id: string;
  uid: string;
  record_type: 'capability' | 'mcp-server';
  display_name: string;
  named: boolean;
  listed_name: string;
  org: string;
  project: string;
  namespace: string;
  action: string;
  hash: string;
  pattern_id: string;
  code_hash: string;
  code_url: string | null;
  version: number;
  version_tag: string | null;
  created_by: string;
  updated_by: string;
  updated_at: Date;
  description: string;
  intent: string;
  tools_used: readonly string[];
  tags: readonly string[];
  visibility: Visibility;
  routing: Routing;
  /** Somebody chose the routing: it is no longer inherited from servers. */
  routing_chosen: boolean;
  cache_policy: CachePolicy;
  ttl: number | null;
  cache_forced: boolean;
  parent_id: string | null;
  forked_from: string | null;
  signature: string;
  head_signature: string;
  calls_hash: string | null;
  verified: boolean;
  retired_at: Date | null;
  reserved_until: Date | null;
  last_used_at: Date;
  recent: string;
}

export function insertRecord(record: Columns<RecordRow>): Sql {
  return sql`insert into capability_records ${insertion(record)}`;
}

export function updateRecord(fqdn: string, changes: Columns<RecordRow>): Sql {
  return sql`update capability_records set ${assignments(changes)} where id = ${fqdn}`;
}

/** The columns that every change by a person sets. */
export function changedBy(user: string) {
  return { updated_by: user, updated_at: NOW } satisfies Columns<RecordRow>;
}

/** The columns that say how results are cached. */
export function cachedAs({ cachePolicy, ttl, cacheForced }: Caching) {
  return { cache_policy: cachePolicy, ttl, cache_forced: cacheForced } satisfies Columns<RecordRow>;
}

/** The values that a record takes from its newest version. */
export interface NewestVersion {
  version: number;
  versionTag: string | null | Sql;
  patternId: string | Sql;
  signature: string | Sql;
  codeHash: string;
  toolsUsed: readonly string[];
  callsHash: string | undefined;
  routing: Routing;
}

/** The columns that point a record to its newest version. They reset `verified` and the recent outcomes. */
export function pointTo(newest: NewestVersion) {
  return {
    version: newest.version,
    version_tag: newest.versionTag,
    pattern_id: newest.patternId,
    signature: newest.signature,
    code_hash: newest.codeHash,
    tools_used: newest.toolsUsed,
    calls_hash: newest.callsHash ?? null,
    routing: sql`case when routing_chosen then routing else ${newest.routing} end`,
    verified: false,
    last_used_at: NOW,
    recent: '',
  } satisfies Columns<RecordRow>;
}

/** Notes whether a version passed replay, if it is still the current one. */
export async function setVerified(
  db: Queryable,
  fqdn: string,
  version: number,
  verified: boolean,
): Promise<void> {
  const update = updateRecord(fqdn, { verified });
  await run(db, sql`${update} and version = ${version} and verified <> ${verified}`);
}

const SIGN = `update capability_records r set head_signature = s.signature
  from jsonb_to_recordset($1::jsonb) as s(id text, signature text) where r.id = s.id`;

export async function signRecords(
  tx: Queryable,
  signed: readonly { id: string; signature: string }[],
): Promise<void> {
  await tx.query(SIGN, [JSON.stringify(signed)]);
}

/** Recomputes the inherited routing of all capabilities in a scope that use a server. */
const INHERIT_ROUTING = `update capability_records c set routing = case when exists (
      select 1 from unnest(c.tools_used) t join capability_records s on s.org = c.org and s.project = c.project
        and s.record_type = 'mcp-server' and s.display_name = 'mcp:' || split_part(t, ':', 1)
      where s.routing = 'local') then 'local' else 'cloud' end
  where c.org = $1 and c.project = $2 and c.record_type = 'capability' and not c.routing_chosen
    and exists (select 1 from unnest(c.tools_used) t where split_part(t, ':', 1) = $3)`;

export async function inheritRouting(
  tx: Queryable,
  { org, project }: { org: string; project: string },
  server: string,
): Promise<void> {
  await tx.query(INHERIT_ROUTING, [org, project, server]);
}

/** Records that were marked stale or fresh, grouped by who can see them. */
export interface MarkedRecords {
  org: string;
  project: string;
  visibility: Visibility;
  createdBy: string;
  count: number;
}

/** Locks in the order of the ids, so that two transactions cannot deadlock. */
const MARK_STALE = `with judged as (
    select r.id, v.reason from (select fqdn, left(reason, 1000) as reason
      from jsonb_to_recordset($1::jsonb) as given(fqdn text, reason text)) v
    join capability_records r on r.id = v.fqdn where r.stale is distinct from v.reason order by r.id for no key update of r
  ), changed as (
    update capability_records r set stale = j.reason from judged j where r.id = j.id
    returning r.org, r.project, r.visibility, r.created_by
  )
  select org, project, visibility, created_by as "createdBy", count(*) as count from changed
  group by org, project, visibility, created_by`;

/** Writes why each record is stale, or null. Returns only those whose reason changed. */
export async function markStale(
  tx: Queryable,
  judged: readonly { fqdn: string; reason: string | null }[],
): Promise<MarkedRecords[]> {
  const { rows } = await tx.query<MarkedRecords>(MARK_STALE, [JSON.stringify(judged)]);
  return rows;
}

/** How many outcomes of calls a record keeps in `recent`. */
export const RECENT_CALLS = 20;

/** Adds the calls of `counted` to the counters; `before` holds the locked rows as they were. */
export const COUNT_CALLS = `update capability_records r
    set usage_count = r.usage_count + c.calls, cached_count = r.cached_count + c.cached, success_count = r.success_count + c.successes,
      total_latency_ms = r.total_latency_ms + c.ms, last_used_at = greatest(r.last_used_at, c.last),
      recent = right(r.recent || c.outcomes, ${RECENT_CALLS})
    from counted c join before b on b.id = c.fqdn where r.id = any(array(select fqdn from counted)) and r.id = c.fqdn
    returning r.org, r.project, r.visibility, r.created_by, r.named, r.last_used_at, r.recent,
      b.last_used_at as was_used_at, b.recent as was_recent`;

/** Appends an outcome to those of the latest calls. `before` holds the locked row as it was. */
export const COUNT_FEEDBACK = `update capability_records r set recent = right(r.recent || $2, ${RECENT_CALLS})
    from before b where r.id = b.id
    returning r.org, r.project, r.visibility, r.created_by, r.named, r.last_used_at, r.recent,
      b.last_used_at as was_used_at, b.recent as was_recent`;
