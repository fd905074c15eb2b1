import type { Queryable } from '../../store/index.ts';
import { COUNT_CALLS } from '../tables/capability-records.ts';
import { INSERT_CALLS } from '../tables/tool-usage.ts';
import { NOTIFY_EVIDENCE } from './evidence-feed.ts';

/** Failures in other scopes, or because of the caller, say nothing against a capability in its own scope's list. */
const IS_EVIDENCE = `(g.by_caller is not true and starts_with(g.fqdn, g.org || '.' || g.project || '.'))`;

/** An answer from the cache says nothing of how a capability runs. */
const HAS_RUN = `(g.cached is not true)`;

const COLUMNS = `id uuid, server_id text, tool text, fqdn text, org text, project text, user_id text, agent text, success boolean,
  duration_ms double precision, called_at timestamptz, error text, by_caller boolean, cached boolean, run uuid, depth smallint`;

const STORE_TOOL_CALLS = `with given as (select * from json_to_recordset($1::json) as r(${COLUMNS})) ${INSERT_CALLS}`;

/** One statement inserts the rows and moves the counters, so that no call is counted twice. */
const STORE_CAPABILITY_CALLS = `with given as materialized (
    select * from rows from (json_to_recordset($1::json) as (${COLUMNS})) with ordinality as r(id, server_id, tool, fqdn, org,
      project, user_id, agent, success, duration_ms, called_at, error, by_caller, cached, run, depth, nth)
  ), stored as (
    ${INSERT_CALLS}
    returning id
  ), counted as (
    select g.fqdn, count(*) filter (where ${HAS_RUN}) as calls, count(*) filter (where not ${HAS_RUN}) as cached,
      count(*) filter (where g.success and ${HAS_RUN}) as successes,
      coalesce(sum(g.duration_ms) filter (where ${HAS_RUN}), 0) as ms, max(g.called_at) as last,
      coalesce(string_agg(case when g.success then '1' else '0' end, '' order by g.nth)
        filter (where ${HAS_RUN} and (g.success or ${IS_EVIDENCE})), '') as outcomes
    from stored s join given g on g.id = s.id where g.fqdn is not null group by g.fqdn
  ), before as (
    -- Locked in the order of the ids, so that two processes that count the same capabilities do not deadlock.
    select r.id, r.last_used_at, r.recent from capability_records r
    where r.id in (select fqdn from counted) order by r.id for no key update
  ), moved as (
    ${COUNT_CALLS}
  )
  ${NOTIFY_EVIDENCE}`;

/** A `CallRow` as JSON. */
export interface CallText {
  json: string;
  /** Calls of capabilities are counted in their records. */
  isCapability: boolean;
}

/** Stores calls and counts them in the records of the capabilities they called. Storing a call twice does nothing. */
export async function storeCalls(db: Queryable, calls: readonly CallText[]): Promise<void> {
  const [ofTools, ofCapabilities] = [false, true].map((wanted) =>
    calls.filter(({ isCapability }) => isCapability === wanted).map(({ json }) => json),
  ) as [string[], string[]];
  if (ofTools.length > 0) await db.query(STORE_TOOL_CALLS, [`[${ofTools.join()}]`]);
  if (ofCapabilities.length > 0) await db.query(STORE_CAPABILITY_CALLS, [`[${ofCapabilities.join()}]`]);
}
