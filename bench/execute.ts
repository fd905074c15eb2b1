/**
 * Measures running code in the sandbox, each figure beside another way to run it, measured in the same run.
 *
 *   node bench/execute.ts [--quick] [--smoke] [--json] [--write] [--only runs,throughput,nested,http,memory]
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { MemoryRow, RunRow, Throughput } from './execute/measure.ts';
import { type HttpRow, measureOverHttp } from './execute/over-http.ts';
import { measureNested, type NestedRow } from './execute/through-pml.ts';
import { benchOptions } from './support/options.ts';
import { type Machine, observeMachine, writeToPage } from './support/performance-page.ts';
import { short, table } from './support/stats.ts';

const HELP = `node bench/execute.ts [--quick] [--smoke] [--json] [--write] [--only SECTIONS]

Measures running code: in the sandbox alone, and through a whole PML.

  --quick   fewer rounds
  --smoke   a round or two of each, to see that the bench works; its figures say nothing
  --json    prints JSON instead of tables
  --write   puts the tables of runs over HTTP and of memory into docs/performance.md
  --only    some of: runs (one run against isolated-vm in process, a worker, a process), throughput (many at once),
            nested (capabilities that call each other), http (runs over HTTP: trivial, with calls, as a tool; after a
            pause and back to back), memory (after many runs)

PML_BENCH_PROGRAM names another PML than the built package.
`;

const values = benchOptions(HELP, {
  quick: { type: 'boolean', default: false },
  only: { type: 'string', default: 'runs,throughput,nested,http,memory' },
  write: { type: 'boolean', default: false },
});

// The comparison with isolated-vm in this process needs a Node without its own snapshot.
const NEEDED = ['--no-node-snapshot', '--expose-gc'];
if (!process.execArgv.includes('--no-node-snapshot')) {
  const args = [...NEEDED, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  process.exit(spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1);
}
const { measureMemory, measureRuns, measureThroughput } = await import('./execute/measure.ts');

interface Report {
  machine: Machine;
  runs: RunRow[];
  throughput: Throughput | undefined;
  nested: NestedRow[];
  http: HttpRow[];
  memory: MemoryRow[];
}

const size = values.smoke ? 'smoke' : values.quick ? 'quick' : 'full';
/** How many rounds of each section, by size. */
const ROUNDS = {
  runs: { smoke: 2, quick: 10, full: 40 },
  throughput: { smoke: 10, quick: 100, full: 500 },
  nested: { smoke: 2, quick: 10, full: 60 },
  http: { smoke: 2, quick: 30, full: 100 },
  memory: { smoke: [10, 20], quick: [200, 2_000], full: [1_000, 10_000] },
};
const wanted = values.only.split(',');
const observed = observeMachine();
const report: Report = {
  machine: observed(),
  runs: wanted.includes('runs') ? await measureRuns(ROUNDS.runs[size]) : [],
  throughput: wanted.includes('throughput')
    ? await measureThroughput(ROUNDS.throughput[size], 32)
    : undefined,
  nested: wanted.includes('nested') ? await measureNested(ROUNDS.nested[size]) : [],
  http: wanted.includes('http') ? await measureOverHttp(ROUNDS.http[size]) : [],
  memory: wanted.includes('memory') ? await measureMemory(ROUNDS.memory[size]) : [],
};
report.machine = observed();
if (values.write) {
  if (report.http.length > 0) writeToPage('bench:execute http', report.machine, httpTable(report.http));
  if (report.memory.length > 0)
    writeToPage('bench:execute memory', report.machine, memoryTable(report.memory));
}

if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else print(report);

function print({ machine, runs, throughput, nested, http, memory }: Report): void {
  const { cpus, node, loadBefore, loadAfter } = machine;
  const out = [`${cpus} cores, Node ${node}, load ${short(loadBefore)} before and ${short(loadAfter)} after`];
  if (runs.length > 0) {
    const heads = ['one run, ms', 'against', 'sandbox p50', 'p95', 'other p50', 'p95', '× faster', 'goal'];
    const rows = runs.map(({ what, against, sandbox, other, faster, goal }) => {
      const met = goal === undefined ? '' : faster >= goal ? `${goal}` : `${goal} missed`;
      return [what, against, sandbox.p50, sandbox.p95, other.p50, other.p95, faster, met].map(cell);
    });
    out.push(table([heads, ...rows]));
  }
  if (throughput) {
    const { runs, inFlight, perSecond, barePerSecond, ratio } = throughput;
    const heads = [`${runs} runs, ${inFlight} in flight`, 'sandbox /s', 'bare isolated-vm /s', '×'];
    out.push(table([heads, ['', perSecond, barePerSecond, ratio].map(cell)]));
  }
  if (nested.length > 0) {
    const heads = ['through PML, ms', 'p50', 'p95', '× two calls'];
    out.push(table([heads, ...nested.map(({ what, p50, p95, ratio }) => [what, p50, p95, ratio].map(cell))]));
  }
  if (http.length > 0) out.push(table(httpTable(http)));
  if (memory.length > 0) out.push(table(memoryTable(memory)));
  process.stdout.write(`${out.join('\n\n')}\n`);
}

function httpTable(rows: readonly HttpRow[]): string[][] {
  const heads = ['over HTTP, ms', 'client', 'pause', 'p50', 'p95', '× trivial', 'goal'];
  const lines = rows.map(({ what, client, pauseMs, p50, p95, ratio, goal = {} }) => {
    const isMet = p50 <= (goal.p50 ?? Infinity) && ratio <= (goal.ratio ?? Infinity);
    const text =
      goal.p50 !== undefined ? `${goal.p50} ms` : goal.ratio !== undefined ? `${goal.ratio} ×` : '';
    return [what, client, `${pauseMs}`, p50, p95, ratio, isMet ? text : `${text} missed`].map(cell);
  });
  return [heads, ...lines];
}

function memoryTable(rows: readonly MemoryRow[]): string[][] {
  const lines = rows.map(({ runs, hostMb, childrenMb, ratio }) =>
    [`${runs}`, hostMb, childrenMb, ratio].map(cell),
  );
  return [['memory after runs, MB', 'host heap', 'children RSS', '× first'], ...lines];
}

function cell(value: string | number): string {
  return typeof value === 'number' ? short(value) : value;
}
