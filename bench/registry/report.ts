import type { EngineReport, Report } from '../registry.ts';
import { short, table } from '../support/stats.ts';

export function printReport({ machine, engines }: Report): void {
  const { cpus, node, loadBefore, loadAfter } = machine;
  print(`${cpus} cores, Node ${node}, load ${short(loadBefore)} before and ${short(loadAfter)} after\n`);
  for (const engine of engines) printEngine(engine);
}

function printEngine({ engine, cold, warm, lists, writes, daemon }: EngineReport): void {
  if (cold.length > 0) {
    print(`${engine}: a name to its record, cold, µs p50 / p95, and × the bare SELECT (p50).`);
    printBySize(
      cold,
      'spelling',
      ({ p50, p95, ratio }) => `${short(p50)} / ${short(p95)}  ${short(ratio.p50)}×`,
    );
  }
  if (warm.length > 0) {
    print(
      `${engine}: a name to its record, warm, µs p50 / p95, and the share of a bare SELECT that the p95 is of its p50.`,
    );
    printBySize(warm, 'spelling', ({ p50, p95 }) => `${short(p50)} / ${short(p95)}`);
  }
  if (lists.length > 0) {
    print(`${engine}: a page, ms, of how many.`);
    printBySize(lists, 'list', ({ ms, total }) => `${short(ms)}${total === undefined ? '' : ` of ${total}`}`);
  }
  if (writes.length > 0) {
    print(`${engine}: acts per second, and × a transaction of one row.`);
    printBySize(writes, 'act', ({ perSecond, ratio }) => `${short(perSecond)}  ${short(ratio)}×`);
  }
  if (daemon.length > 0) {
    print(`${engine}: the daemon.`);
    const rows = daemon.map((row) =>
      [row.size, row.startMs, row.listMs, row.rssMb, row.heapMb].map((n) => short(n)),
    );
    print(`${table([['capabilities', 'start ms', 'first tools/list ms', 'RSS MB', 'heap MB'], ...rows])}\n`);
  }
}

/** One line for each value of `key`, one column for each size. */
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
