import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { isUsableTool, MAY_SEE, principalParameters } from '../record/visibility.ts';
import { OWN_SERVER } from '../tables/tool-usage.ts';
import { type Lifecycle, type ListingStatus, listingParameters, listingStatusSql } from './lifecycle.ts';

/** The calls to look at; all, if nothing is given. */
export interface Subject {
  server?: string;
  tool?: string;
  fqdn?: string;
}

export interface Figures {
  calls: number;
  success: number;
  /** Null if there was no call. */
  success_rate: number | null;
  p50_ms: number;
  p95_ms: number;
  /** How many of the calls were answered from the cache, if any: the success rate and the latencies are of the others. */
  cached?: number;
}

export interface Statistics extends Figures {
  since: string | null;
  tools: (Figures & { name: string })[];
  capabilities: (Figures & { name: string })[];
  servers: (Figures & { name: string })[];
  unnamed: number;
  /** How many named capabilities are not in the list of tools, by the reason. */
  unlisted: { unused: number; failing: number };
}

interface Row {
  kind: 'all' | 'tool' | 'capability' | 'server';
  name: string;
  calls: number;
  success: number;
  cached: number;
  cached_success: number;
  latency: [number, number] | null;
}

/** How many of each kind are shown, busiest first; more would fill a model's context. */
const SHOWN = 100;

const FIGURES = `count(*) as calls, count(*) filter (where success) as success,
  count(*) filter (where cached) as cached, count(*) filter (where cached and success) as cached_success,
  percentile_cont(array[0.5, 0.95]) within group (order by duration_ms) filter (where not cached) as latency`;

/**
 * The calls in the scope, without those that were refused and those of capabilities that the principal may not see.
 * Calls of PML's own tools count only if they are asked for: most of them cause calls that are counted themselves.
 */
const BY_KIND = `with used as materialized (
    select u.server_id, u.tool, u.fqdn, u.success, u.duration_ms, u.cached, r.display_name
    from tool_usage u left join capability_records r on r.id = u.fqdn
    where u.org = $1 and u.project = $2 and not u.refused and (case when u.fqdn is null then ${isUsableTool('u', OWN_SERVER)} else ${MAY_SEE} end)
      and ($5::timestamptz is null or u.called_at >= $5)
      and (u.server_id = $6 or ($6::text is null and u.server_id <> '${OWN_SERVER}')) and ($7::text is null or u.tool = $7)
      and ($8::text is null or u.fqdn = $8)
  )
  select 'all' as kind, '' as name, ${FIGURES} from used
  union all (select 'server', server_id, ${FIGURES} from used group by server_id order by 3 desc, 2 limit ${SHOWN})
  union all (select 'tool', server_id || ':' || tool, ${FIGURES} from used where fqdn is null
    group by server_id, tool order by 3 desc, 2 limit ${SHOWN})
  union all (select 'capability', max(display_name), ${FIGURES} from used where fqdn is not null
    group by fqdn order by 3 desc, 2 limit ${SHOWN})`;

const UNNAMED = `select count(*) as unnamed from capability_records r
  where ${MAY_SEE} and r.retired_at is null and r.org = $1 and r.project = $2 and not r.named
    and r.record_type = 'capability'`;

const BY_LISTING = `select ${listingStatusSql(5)} as status, count(*) as count from capability_records r
  where ${MAY_SEE} and r.retired_at is null and r.org = $1 and r.project = $2 and r.named and r.record_type = 'capability'
  group by 1`;

/** Counts the calls of tools, capabilities and servers in a scope, with success and latency. */
export async function statistics(
  db: Queryable,
  who: Principal,
  { server, tool, fqdn, since }: Subject & { since?: Date | undefined },
  lifecycle: Lifecycle,
): Promise<Statistics> {
  const filter = [since?.toISOString() ?? null, server ?? null, tool ?? null, fqdn ?? null];
  const { rows } = await db.query<Row>(BY_KIND, [...principalParameters(who), ...filter]);
  const unnamed = await db.query<{ unnamed: number }>(UNNAMED, principalParameters(who));
  const counts = await db.query<{ status: ListingStatus; count: number }>(BY_LISTING, [
    ...principalParameters(who),
    ...listingParameters(lifecycle),
  ]);
  const unlisted = (why: ListingStatus) => counts.rows.find(({ status }) => status === why)?.count ?? 0;
  const [all] = rows.filter(({ kind }) => kind === 'all') as [Row];
  const named = (wanted: Row['kind']) =>
    rows.filter(({ kind }) => kind === wanted).map((row) => ({ name: row.name, ...figuresOf(row) }));
  return {
    since: since?.toISOString() ?? null,
    ...figuresOf(all),
    tools: named('tool'),
    capabilities: named('capability'),
    servers: named('server'),
    unnamed: unnamed.rows[0]?.unnamed ?? 0,
    unlisted: { unused: unlisted('unused'), failing: unlisted('failing') },
  };
}

function figuresOf({ calls, success, cached, cached_success, latency }: Row): Figures {
  const rounded = (ms: number) => Math.round(ms * 100) / 100;
  const [p50, p95] = latency ?? [0, 0];
  // If every call was answered from the cache, those answers give the success rate.
  const [ran, succeeded] = calls > cached ? [calls - cached, success - cached_success] : [calls, success];
  const success_rate = ran > 0 ? Math.round((succeeded / ran) * 10_000) / 10_000 : null;
  const figures = { calls, success, success_rate, p50_ms: rounded(p50), p95_ms: rounded(p95) };
  return cached > 0 ? { ...figures, cached } : figures;
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Parses `2025-12-22`, `2025-12-22T10:00:00Z`, `24h` or `7d` into a moment. */
export function sinceWhen(text: string, now = Date.now()): Date {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count && unit) return new Date(now - Number(count) * UNITS[unit as keyof typeof UNITS]);
  const date = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d)?)?$/.test(text) ? new Date(text) : undefined;
  if (date && date.getTime() > 0) return date;
  throw new PmlError('invalid_arguments', `"${text}" is not a time.`, {
    hint: 'Write a date ("2025-12-22"), a time ("2025-12-22T10:00:00Z"), or how far back ("24h", "7d").',
  });
}
