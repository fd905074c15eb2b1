import type { Queryable } from '../../store/index.ts';
import { COUNT_CALLS } from '../tables/capability-records.ts';
import { type CallRow, INSERT_CALLS, INSERT_NEW_CALLS } from '../tables/tool-usage.ts';
import { NOTIFY_EVIDENCE } from './evidence-feed.ts';

/** Failures in other scopes, or because of the caller, say nothing against a capability in its own scope's list. */
const IS_EVIDENCE = `(g.by_caller is not true and starts_with(g.fqdn, g.org || '.' || g.project || '.'))`;

/** An answer from the cache says nothing of how a capability runs. */
const HAS_RUN = `(g.cached is not true)`;

const COLUMNS = `id uuid, server_id text, tool text, fqdn text, org text, project text, user_id text, agent text, success boolean,
  duration_ms double precision, called_at timestamptz, error text, by_caller boolean, cached boolean, run uuid, depth smallint, refused boolean`;

/**
 * Takes the kinds of calls as JSON, and the members of each call as arrays, with times as seconds. Parsing the JSON of
 * a row takes the database as long as storing it, and most calls of a batch are of a few kinds.
 */
const storeToolCalls = (insert: string) => `with kinds as (
    select * from rows from (json_to_recordset($1::json) as (server_id text, tool text, fqdn text, org text, project text,
      user_id text, agent text, success boolean, error text, cached boolean, run uuid, depth smallint, refused boolean))
    with ordinality as k(server_id, tool, fqdn, org, project, user_id, agent, success, error, cached, run, depth, refused, kind)
  ), given as (
    select *, to_timestamp(called) as called_at
    from unnest($2::uuid[], $3::int8[], $4::float8[], $5::float8[]) as r(id, kind, duration_ms, called)
    join kinds using (kind)
  ) ${insert}`;
const STORE_TOOL_CALLS = storeToolCalls(INSERT_CALLS);
/** Takes a quarter less time: the database does not look for each id first. */
const STORE_NEW_TOOL_CALLS = storeToolCalls(INSERT_NEW_CALLS);

/** One statement inserts the rows and moves the counters, so that no call is counted twice. */
const STORE_CAPABILITY_CALLS = `with given as materialized (
    select * from rows from (json_to_recordset($1::json) as (${COLUMNS})) with ordinality as r(id, server_id, tool, fqdn, org,
      project, user_id, agent, success, duration_ms, called_at, error, by_caller, cached, run, depth, refused, nth)
  ), stored as (
    ${INSERT_CALLS}
    returning id
  ), counted as (
    select g.fqdn, count(*) filter (where ${HAS_RUN}) as calls, count(*) filter (where not ${HAS_RUN}) as cached,
      count(*) filter (where g.success and ${HAS_RUN}) as successes,
      coalesce(sum(g.duration_ms) filter (where ${HAS_RUN}), 0) as ms, max(g.called_at) as last,
      coalesce(string_agg(case when g.success then '1' else '0' end, '' order by g.nth)
        filter (where ${HAS_RUN} and (g.success or ${IS_EVIDENCE})), '') as outcomes
    from stored s join given g on g.id = s.id where g.fqdn is not null and g.refused is not true group by g.fqdn
  ), before as (
    -- Locked in the order of the ids, so that two processes that count the same capabilities do not deadlock.
    select r.id, r.last_used_at, r.recent from capability_records r
    where r.id = any(array(select fqdn from counted)) order by r.id for no key update
  ), moved as (
    ${COUNT_CALLS}
  )
  ${NOTIFY_EVIDENCE}`;

/** The members of a row that differ from call to call. */
export type CallMembers = Pick<CallRow, 'id' | 'duration_ms' | 'called_at'>;

/** A row, ready to be stored. */
export interface CallText extends CallMembers {
  /** All other members, as JSON. */
  kind: string;
  /** Calls of capabilities are counted in their records. */
  isCapability: boolean;
}

/** The whole row as JSON. */
export function jsonOf({ id, duration_ms, called_at, kind }: CallText): string {
  return `${JSON.stringify({ id, duration_ms, called_at }).slice(0, -1)},${kind.slice(1)}`;
}

/**
 * Stores calls and counts them in the records of the capabilities they called. With `mayBeStored`, calls that are
 * stored already are skipped; without it, storing is faster, but one stored tool call fails them all.
 */
export async function storeCalls(
  db: Queryable,
  calls: readonly CallText[],
  { mayBeStored }: { mayBeStored: boolean },
): Promise<void> {
  const [ofTools, ofCapabilities] = [false, true].map((wanted) =>
    calls.filter(({ isCapability }) => isCapability === wanted),
  ) as [CallText[], CallText[]];
  const forTools = mayBeStored ? STORE_TOOL_CALLS : STORE_NEW_TOOL_CALLS;
  if (ofTools.length > 0) await db.query(forTools, columnsOf(ofTools));
  if (ofCapabilities.length > 0)
    await db.query(STORE_CAPABILITY_CALLS, [`[${ofCapabilities.map(jsonOf).join()}]`]);
}

/** The kinds of the calls, then the members of each call, and the number of its kind, as PostgreSQL's arrays. */
function columnsOf(calls: readonly CallText[]): string[] {
  const kinds = new Map<string, number>();
  const numbers = calls.map(({ kind }) => {
    const known = kinds.get(kind) ?? kinds.size + 1;
    kinds.set(kind, known);
    return known;
  });
  const columns = [
    calls.map(({ id }) => JSON.stringify(id)),
    numbers,
    calls.map(({ duration_ms }) => duration_ms),
    calls.map(({ called_at }) => Date.parse(called_at) / 1000),
  ];
  return [`[${[...kinds.keys()].join()}]`, ...columns.map((column) => `{${column.join()}}`)];
}
