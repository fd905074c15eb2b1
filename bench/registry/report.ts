import type { EngineReport, Report } from '../registry.ts';
import { short, table } from '../support/stats.ts';
import type { DaemonRow } from './daemon.ts';
import type { LearnedReport } from './learned-runs.ts';

export function printReport({ machine, engines }: Report): void {
  const { cpus, node, loadBefore, loadAfter } = machine;
  print(`${cpus} cores, Node ${node}, load ${short(loadBefore)} before and ${short(loadAfter)} after\n`);
  for (const engine of engines) printEngine(engine);
}

/** The goals for the registry. A figure that misses its goal is followed by an exclamation mark. */
const GOALS = { cold: 1.5, warmUs: 50, flat: 1.5, write: 3, learned: 1.3, besideMs: 250 };
/** From this size on, a warm lookup must not grow. */
const FLAT_FROM = 10_000;

function printEngine({ engine, cold, warm, lists, writes, daemon, learned }: EngineReport): void {
  if (cold.length > 0) {
    print(
      `${engine}: a name to its record, cold, µs p50 / p95, × the bare SELECT's p50. Goal: ${GOALS.cold}×.`,
    );
    printBySize(
      cold,
      'spelling',
      ({ p50, p95, ratio }) => `${short(p50)} / ${short(p95)}  ${judged(ratio.p50, GOALS.cold)}`,
    );
  }
  if (warm.length > 0) {
    print(
      `${engine}: warm, µs p50 / p95, × the p95 at ${FLAT_FROM}. Goals: p95 under ${GOALS.warmUs} µs, flat within ${GOALS.flat}×.`,
    );
    printBySize(warm, 'spelling', (row) => {
      const base = warm.find(({ size, spelling }) => size === FLAT_FROM && spelling === row.spelling);
      const growth = base && row.size > FLAT_FROM ? `  ${judged(row.p95 / base.p95, GOALS.flat)}` : '';
      return `${short(row.p50)} / ${short(row.p95)}${row.p95 > GOALS.warmUs ? '!' : ''}${growth}`;
    });
  }
  if (lists.length > 0) {
    print(`${engine}: a page, ms, of how many, × the bare SELECT.`);
    printBySize(lists, 'list', ({ size, ms, total }) => {
      const bare = cold.find((row) => row.size === size && row.spelling === 'bare SELECT');
      const ratio = bare ? `  ${short((ms * 1000) / bare.p50)}×` : '';
      return `${short(ms)}${total === undefined ? '' : ` of ${total}`}${ratio}`;
    });
  }
  if (writes.length > 0) {
    print(`${engine}: acts per second, × the time of a transaction of one row. Goal: ${GOALS.write}×.`);
    printBySize(
      writes,
      'act',
      ({ perSecond, ratio }) => `${short(perSecond)}  ${judged(ratio, GOALS.write)}`,
    );
  }
  if (daemon.length > 0) printDaemon(engine, daemon);
  if (learned.runs.length > 0) printLearned(engine, learned);
}

function printLearned(engine: string, { runs, beside }: LearnedReport): void {
  print(
    `${engine}: a learned run, ms p50 / p95, × the smallest, × a run that is not remembered. Goal: ${GOALS.learned}× the smallest.`,
  );
  const named = runs.map((row) => ({
    ...row,
    kind: `${row.writers === 1 ? 'one writer' : `${row.writers} writers`}, ${row.candidates} candidates`,
  }));
  printBySize(named, 'kind', ({ kind, p50, p95, ratio }) => {
    const first = named.find((row) => row.kind === kind) as LearnedReport['runs'][number];
    return `${short(p50)} / ${short(p95)}  ${judged(p50 / first.p50, GOALS.learned)}  ${short(ratio)}×`;
  });
  print(
    `${engine}: cap_list of another user beside runs that are learned at once, ms. Goal: ${GOALS.besideMs} ms.`,
  );
  const head = ['capabilities', 'runs', 'they took s', 'lists', 'alone', 'p50', 'p95', 'max'];
  const lines = beside.map((row) => [
    ...[row.size, row.runs].map(String),
    ...[short(row.seconds), String(row.lists), short(row.aloneMs), short(row.p50), short(row.p95)],
    `${short(row.max)}${row.max > GOALS.besideMs ? '!' : ''}`,
  ]);
  print(`${table([head, ...lines])}\n`);
}

function printDaemon(engine: string, rows: EngineReport['daemon']): void {
  print(`${engine}: the daemon, and × the smallest. Goal: neither start nor memory grows.`);
  const [first] = rows as [DaemonRow];
  const lines = rows.map((row) => [
    String(row.size),
    ...(['startMs', 'listMs', 'rssMb', 'heapMb'] as const).map(
      (key) => `${short(row[key])}  ${short(row[key] / first[key])}×`,
    ),
  ]);
  print(`${table([['capabilities', 'start ms', 'first tools/list ms', 'RSS MB', 'heap MB'], ...lines])}\n`);
}

function judged(ratio: number, goal: number): string {
  return `${short(ratio)}×${ratio > goal ? '!' : ''}`;
}

/** Formats a table with a line for each value of `key` and a column for each size. */
function printBySize<R extends { size: number }>(
  rows: readonly R[],
  key: keyof R,
  cell: (row: R) => string,
): void {
  const sizes = [...new Set(rows.map(({ size }) => size))];
  const keys = [...new Set(rows.map((row) => String(row[key])))];
  const lines = keys.map((name) => [
    name,
    ...sizes.map((size) => {
      const row = rows.find((one) => one.size === size && String(one[key]) === name);
      return row ? cell(row) : '';
    }),
  ]);
  print(`${table([['', ...sizes.map(String)], ...lines])}\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
