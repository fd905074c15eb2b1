import type { Principal } from '../../principal.ts';
import { OWN_SERVER } from '../../registry/usage/index.ts';
import type { Queryable } from '../../store/index.ts';
import { CountedUnits } from './counted-units.ts';
import { addToHistogram, bucketSql, type Histogram, percentileOf } from './histogram.ts';

/** The calls of one tool, or of all capabilities together, within one unit of time. */
interface Counted {
  readonly server: string;
  /** Null for capabilities. */
  readonly tool: string | null;
  /** The only user who may know of them: the calls of private capabilities. */
  readonly only: string | null;
  calls: number;
  failures: number;
  cached: number;
  cachedFailures: number;
  /** Latencies of the calls that were not answered from the cache. */
  readonly latencies: Histogram;
}

/** Figures of some calls. As in `pml stats`, the rate and the latencies cover only the calls that ran, if any did. */
export interface CallFigures {
  calls: number;
  failures: number;
  cached: number;
  success_rate: number | null;
  p50_ms: number | null;
  p95_ms: number | null;
}

export interface FigurePoint extends Pick<CallFigures, 'calls' | 'failures' | 'p50_ms' | 'p95_ms'> {
  t: string;
}

interface Row {
  unit: number;
  server: string;
  tool: string | null;
  only: string | null;
  success: boolean;
  cached: boolean;
  bucket: number;
  count: number;
}

const UNIT_MS = 15 * 60_000;
const UNITS_A_DAY = 96;
const MAX_POINTS = 120;

/**
 * Counts the calls of a span. PML's own tools do not count, since most of them cause calls that do. Only the creator of
 * a private capability may know of its calls.
 */
const COUNTS = `select floor(extract(epoch from u.called_at) * 1000 / ${UNIT_MS})::bigint as unit, u.server_id as server,
    case when u.fqdn is null then u.tool end as tool, case when r.visibility = 'private' then r.created_by end as only,
    u.success, u.cached, ${bucketSql('u.duration_ms')} as bucket, count(*) as count
  from tool_usage u left join capability_records r on r.id = u.fqdn
  where u.org = $1 and u.project = $2 and u.called_at >= $3 and u.called_at < $4 and not u.refused and u.server_id <> '${OWN_SERVER}'
  group by 1, 2, 3, 4, 5, 6, 7`;

type Unit = readonly Counted[];

/** The calls of a scope over time. */
export class UsageFigures {
  readonly #units: CountedUnits<Row, Unit>;

  constructor(db: Queryable) {
    this.#units = new CountedUnits(db, {
      ...{ unitMs: UNIT_MS, chunk: UNITS_A_DAY, kept: 31 * UNITS_A_DAY, sql: COUNTS },
      fold: countRows,
    });
  }

  /** Reads the figures of the calls since a time that the principal may know of. */
  async since(who: Principal, since: Date, now = Date.now()): Promise<SpanFigures> {
    return new SpanFigures(await this.#units.read(who, since.getTime(), now), who.user);
  }
}

function countRows(rows: readonly Row[]): Unit {
  const all = new Map<string, Counted>();
  for (const { server, tool, only, success, cached, bucket, count } of rows) {
    const key = JSON.stringify([server, tool, only]);
    const one = all.get(key) ?? emptyCount(server, tool, only);
    all.set(key, one);
    addRow(one, { success, cached, bucket, count });
  }
  return [...all.values()];
}

function emptyCount(server: string, tool: string | null, only: string | null): Counted {
  return { server, tool, only, calls: 0, failures: 0, cached: 0, cachedFailures: 0, latencies: new Map() };
}

function addRow(one: Counted, row: Pick<Row, 'success' | 'cached' | 'bucket' | 'count'>): void {
  const { success, cached, bucket, count } = row;
  one.calls += count;
  if (!success) one.failures += count;
  if (cached) one.cached += count;
  if (cached && !success) one.cachedFailures += count;
  if (!cached) one.latencies.set(bucket, (one.latencies.get(bucket) ?? 0) + count);
}

/** The calls of one span, as one user may know of them. */
export class SpanFigures {
  readonly #units: ReadonlyMap<number, Unit>;
  readonly #user: string;

  constructor(units: ReadonlyMap<number, Unit>, user: string) {
    this.#units = units;
    this.#user = user;
  }

  /** All calls together, or those of one server, or of one tool. */
  total(of: { server?: string; tool?: string } = {}): CallFigures {
    return figuresOf(this.#counted(this.#units.values(), of));
  }

  /** The calls of each tool, by `server:tool`. */
  byTool(): Map<string, CallFigures> {
    const counted = this.#counted(this.#units.values(), {}).filter(({ tool }) => tool !== null);
    const groups = Map.groupBy(counted, ({ server, tool }) => `${server}:${tool}`);
    return new Map(Array.from(groups, ([name, group]) => [name, figuresOf(group)]));
  }

  byServer(): Map<string, CallFigures> {
    const groups = Map.groupBy(this.#counted(this.#units.values(), {}), ({ server }) => server);
    return new Map(Array.from(groups, ([name, group]) => [name, figuresOf(group)]));
  }

  /** The calls over time, in spans of equal width. */
  series(of: { server?: string; tool?: string } = {}): FigurePoint[] {
    const all = [...this.#units];
    const width = Math.ceil(all.length / MAX_POINTS);
    return Array.from({ length: Math.ceil(all.length / width) }, (_, at) => {
      const span = all.slice(at * width, (at + 1) * width);
      const counted = this.#counted(
        span.map(([, unit]) => unit),
        of,
      );
      const { calls, failures, p50_ms, p95_ms } = figuresOf(counted);
      const [[start] = [0]] = span;
      return { t: new Date(start * UNIT_MS).toISOString(), calls, failures, p50_ms, p95_ms };
    });
  }

  #counted(units: Iterable<Unit>, { server, tool }: { server?: string; tool?: string }): Counted[] {
    return [...units].flatMap((unit) =>
      unit.filter(
        (one) =>
          (one.only === null || one.only === this.#user) &&
          (server === undefined || one.server === server) &&
          (tool === undefined || one.tool === tool),
      ),
    );
  }
}

function figuresOf(counted: readonly Counted[]): CallFigures {
  const sum = emptyCount('', null, null);
  for (const one of counted) {
    sum.calls += one.calls;
    sum.failures += one.failures;
    sum.cached += one.cached;
    sum.cachedFailures += one.cachedFailures;
    addToHistogram(sum.latencies, one.latencies);
  }
  const { calls, failures, cached, cachedFailures, latencies } = sum;
  // If every call was answered from the cache, those answers give the success rate.
  const [ran, failed] = calls > cached ? [calls - cached, failures - cachedFailures] : [calls, failures];
  const success_rate = ran > 0 ? Math.round(((ran - failed) / ran) * 10_000) / 10_000 : null;
  const percentiles = { p50_ms: percentileOf(latencies, 0.5), p95_ms: percentileOf(latencies, 0.95) };
  return { calls, failures, cached, success_rate, ...percentiles };
}
