/**
 * Measures running code in the sandbox, each figure beside another way to run it, measured in the same run.
 *
 *   node bench/execute.ts [--quick] [--json] [--only runs,throughput,nested,memory]
 */
import { spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { MemoryRow, RunRow, Throughput } from './execute/measure.ts';
import { measureNested, type NestedRow } from './execute/through-pml.ts';
import { short, table } from './support/stats.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: 'runs,throughput,nested,memory' },
  },
});

// The comparison with isolated-vm in this process needs a Node without its own snapshot.
const NEEDED = ['--no-node-snapshot', '--expose-gc'];
if (!process.execArgv.includes('--no-node-snapshot')) {
  const args = [...NEEDED, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  process.exit(spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1);
}
const { measureMemory, measureRuns, measureThroughput } = await import('./execute/measure.ts');

interface Report {
  machine: { cpus: number; node: string; loadBefore: number; loadAfter: number };
  runs: RunRow[];
  throughput: Throughput | undefined;
  nested: NestedRow[];
  memory: MemoryRow[];
}

const { quick } = values;
const wanted = values.only.split(',');
const loadBefore = loadavg()[0] as number;
const report: Report = {
  machine: { cpus: cpus().length, node: process.version, loadBefore, loadAfter: 0 },
  runs: wanted.includes('runs') ? await measureRuns(quick ? 10 : 40) : [],
  throughput: wanted.includes('throughput') ? await measureThroughput(quick ? 100 : 500, 32) : undefined,
  nested: wanted.includes('nested') ? await measureNested(quick ? 10 : 60) : [],
  memory: wanted.includes('memory') ? await measureMemory(quick ? [200, 2_000] : [1_000, 10_000]) : [],
};
report.machine.loadAfter = loadavg()[0] as number;

if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else print(report);

function print({ machine, runs, throughput, nested, memory }: Report): void {
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
  if (memory.length > 0) {
    const rows = memory.map(({ runs, hostMb, childrenMb, ratio }) =>
      [`${runs}`, hostMb, childrenMb, ratio].map(cell),
    );
    out.push(table([['memory after runs, MB', 'host heap', 'children RSS', '× first'], ...rows]));
  }
  process.stdout.write(`${out.join('\n\n')}\n`);
}

function cell(value: string | number): string {
  return typeof value === 'number' ? short(value) : value;
}
