import type { Principal } from '../../principal.ts';
import { MAY_SEE, principalParameters } from '../../registry/curation/index.ts';
import type { Db, Queryable } from '../../store/index.ts';
import { CountedUnits } from './counted-units.ts';

/** The savings of capabilities, against the calls that their first recorded run made. */
export interface Savings {
  runs: number;
  cached: number;
  calls: number;
  ms: number;
  tokens: number;
}

/** How often a capability was called. */
interface Runs {
  runs: number;
  cached: number;
  /** The time of those that were answered from the cache. */
  cachedMs: number;
}
type Day = ReadonlyMap<string, Runs>;
interface Row extends Runs {
  unit: number;
  fqdn: string;
}

const DAY_MS = 86_400_000;

/** Successful calls of capabilities by clients. Whoever sends the code itself, as the first run did, saves nothing. */
const COUNTS = `select floor(extract(epoch from u.called_at) * 1000 / ${DAY_MS})::bigint as unit, u.fqdn, count(*) as runs,
    count(*) filter (where u.cached) as cached, coalesce(sum(u.duration_ms) filter (where u.cached), 0) as "cachedMs"
  from tool_usage u left join run_details d on d.id = u.id
  where u.org = $1 and u.project = $2 and u.called_at >= $3 and u.called_at < $4
    and u.fqdn is not null and u.success and (u.run is null or u.run = u.id) and d.kind is distinct from 'run'
  group by 1, 2`;

/** The first recorded run of a capability: how many calls, and how many characters a model would have read and written. */
interface First {
  fqdn: string;
  calls: number;
  /** Arguments and results of its calls. */
  spelt: number;
  /** Arguments and result of the capability. */
  passed: number;
  /** The mean time of a run. */
  ms: number;
}

const FIRST = `select distinct on (f.capability_fqdn) f.capability_fqdn as fqdn, jsonb_array_length(f.calls) as calls,
    length(f.calls::text) as spelt, length(f.args::text) + length(f.result::text) as passed,
    case when r.usage_count > 0 then r.total_latency_ms / r.usage_count else 0 end as ms
  from run_recordings f join capability_records r on r.id = f.capability_fqdn
  where ${MAY_SEE} and f.capability_fqdn = any($5) order by f.capability_fqdn, f.recorded_at, f.id`;

const CHARACTERS_A_TOKEN = 4;
/** For how many capabilities the savings are computed, the most used first. */
const MOST = 5000;

/** Explains to people how the figures are computed. */
export const HOW_SAVED =
  'Successful calls of capabilities by clients, each against the first recorded run of the capability. Calls: those that run made, less the one call of the capability. Tokens: the characters of the arguments and results of those calls, less those of the capability\u2019s own, four to a token; they would have passed through the model. Milliseconds: for answers from the cache, the mean time of a run less the time of the answer. Capabilities without a recorded run count as runs and save nothing here, and neither does the time a model takes to think.';

/** Computes what calling capabilities saved. */
export class SavingsFigures {
  readonly #db: Queryable;
  readonly #days: CountedUnits<Row, Day>;

  constructor(db: Db) {
    this.#db = db;
    this.#days = new CountedUnits(db, {
      ...{ unitMs: DAY_MS, chunk: 1, kept: 32, sql: COUNTS },
      fold: (rows) =>
        new Map(rows.map(({ fqdn, runs, cached, cachedMs }) => [fqdn, { runs, cached, cachedMs }])),
    });
  }

  /** Counts whole days, from the day of `since` on. */
  async since(who: Principal, since: Date): Promise<Savings> {
    const used = new Map<string, Runs>();
    for (const day of (await this.#days.read(who, since.getTime(), Date.now())).values())
      for (const [fqdn, runs] of day) used.set(fqdn, addRuns(used.get(fqdn), runs));
    const most = [...used].sort(([, a], [, b]) => b.runs - a.runs).slice(0, MOST);
    const saved = { runs: 0, cached: 0, calls: 0, ms: 0, tokens: 0 };
    for (const [, { runs, cached }] of used) {
      saved.runs += runs;
      saved.cached += cached;
    }
    if (most.length === 0) return saved;
    const { rows } = await this.#db.query<First>(FIRST, [
      ...principalParameters(who),
      most.map(([fqdn]) => fqdn),
    ]);
    for (const first of rows) addSaved(saved, used.get(first.fqdn) as Runs, first);
    return { ...saved, ms: Math.round(saved.ms) };
  }
}

function addRuns(a: Runs | undefined, b: Runs): Runs {
  if (!a) return b;
  return { runs: a.runs + b.runs, cached: a.cached + b.cached, cachedMs: a.cachedMs + b.cachedMs };
}

function addSaved(
  saved: Savings,
  { runs, cached, cachedMs }: Runs,
  { calls, spelt, passed, ms }: First,
): void {
  saved.calls += runs * Math.max(0, calls - 1);
  saved.tokens += Math.round((runs * Math.max(0, spelt - passed)) / CHARACTERS_A_TOKEN);
  saved.ms += Math.max(0, cached * ms - cachedMs);
}
