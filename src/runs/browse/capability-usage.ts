import type { Queryable } from '../../store/index.ts';
import type { FigurePoint } from '../figures/usage-figures.ts';

/** Who called a capability, and how often. */
export interface CapabilityCaller {
  user: string;
  agent?: string;
  calls: number;
  last: string;
}

const POINTS = 90;
const MAX_CALLERS = 100;

const SERIES = `select width_bucket(extract(epoch from u.called_at), $2, $3, ${POINTS}) as bucket, count(*) as calls,
    count(*) filter (where not u.success) as failures,
    percentile_cont(array[0.5, 0.95]) within group (order by u.duration_ms) filter (where not u.cached) as latency
  from tool_usage u where u.fqdn = $1 and not u.refused and u.called_at >= to_timestamp($2) group by 1`;

const CALLERS = `select u.user_id as "user", u.agent, count(*) as calls, max(u.called_at) as last
  from tool_usage u where u.fqdn = $1 and not u.refused and u.called_at >= to_timestamp($2) group by 1, 2 order by 3 desc, 1 limit ${MAX_CALLERS}`;

/** Reads how a capability was used since a time. */
export async function capabilityUsage(
  db: Queryable,
  fqdn: string,
  since: Date,
): Promise<{ series: FigurePoint[]; callers: CapabilityCaller[] }> {
  const [from, to] = [since.getTime() / 1000, Date.now() / 1000];
  const { rows } = await db.query<{
    bucket: number;
    calls: number;
    failures: number;
    latency: [number, number] | null;
  }>(SERIES, [fqdn, from, to]);
  const byBucket = new Map(rows.map((row) => [Math.min(row.bucket, POINTS), row]));
  const callers = await db.query<{ user: string; agent: string | null; calls: number; last: Date }>(CALLERS, [
    fqdn,
    from,
  ]);
  return {
    series: Array.from({ length: POINTS }, (_, at) => {
      const { calls = 0, failures = 0, latency } = byBucket.get(at + 1) ?? {};
      const [p50, p95] = latency ?? [null, null];
      const t = new Date((from + ((to - from) * at) / POINTS) * 1000).toISOString();
      return { t, calls, failures, p50_ms: rounded(p50), p95_ms: rounded(p95) };
    }),
    callers: callers.rows.map(({ user, agent, calls, last }) => ({
      ...{ user, calls, last: last.toISOString() },
      ...(agent !== null && { agent }),
    })),
  };
}

function rounded(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 100) / 100;
}
