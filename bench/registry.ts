/** Measures the registry as it grows, each figure beside something measured in the same run. */
import { cpus, loadavg } from 'node:os';
import { type DaemonRow, measureDaemon } from './registry/daemon.ts';
import { fill } from './registry/fill.ts';
import { type LearnedReport, measureLearned, ONE_USER } from './registry/learned-runs.ts';
import { type ListRow, measureLists } from './registry/lists.ts';
import { measureCold, measureWarm, type NameRow } from './registry/names.ts';
import { printReport } from './registry/report.ts';
import { type Engine, openStore } from './registry/stores.ts';
import { measureWrites, type WriteRow } from './registry/writes.ts';
import { benchOptions } from './support/options.ts';

export interface EngineReport {
  engine: Engine;
  cold: NameRow[];
  warm: NameRow[];
  lists: ListRow[];
  writes: WriteRow[];
  daemon: DaemonRow[];
  learned: LearnedReport;
}

export interface Report {
  machine: { cpus: number; node: string; loadBefore: number; loadAfter: number };
  engines: EngineReport[];
}

const HELP = `node bench/registry.ts [options]
  --engine E    pglite or postgres; both, if absent
  --sizes LIST  how many capabilities there are (1000,10000,100000,1000000)
  --only LIST   of names,lists,writes,daemon,learned
  --learned L   the sizes at which runs are learned (100,1000,10000); 100000 takes minutes more
  --quick       fewer rounds, and at most 10,000 capabilities
  --smoke       100 capabilities on PGlite and one round, without a daemon
  --json        print JSON alone
Measures lookups, lists, writes, the start of a daemon and learned runs as the registry grows. For learned runs, all
capabilities are those of one user and call one tool: no run can have more to be compared with.
`;
const values = benchOptions(HELP, {
  quick: { type: 'boolean', default: false },
  engine: { type: 'string' },
  sizes: { type: 'string' },
  learned: { type: 'string' },
  only: { type: 'string', default: 'names,lists,writes,daemon,learned' },
});
const usualSizes = values.smoke ? '100' : values.quick ? '1000,10000' : '1000,10000,100000,1000000';
const sizes = (values.sizes ?? usualSizes).split(',').map(Number);
const learnedSizes = (values.learned ?? (values.quick ? '100,1000' : '100,1000,10000'))
  .split(',')
  .map(Number);
/** Chooses a number of rounds. */
const rounds = (full: number, quick: number) => (values.smoke ? 1 : values.quick ? quick : full);
const engines = (values.engine?.split(',') ??
  (values.smoke ? ['pglite'] : ['pglite', 'postgres'])) as Engine[];
const needDaemon = ['daemon', 'learned'];
const wanted = values.only.split(',').filter((part) => !values.smoke || !needDaemon.includes(part));
const wantsRegistry = wanted.some((part) => part !== 'learned');

function say(text: string): void {
  if (!values.json) process.stderr.write(`${text}\n`);
}

async function measure(engine: Engine): Promise<EngineReport> {
  const report: EngineReport = {
    ...{ engine, cold: [], warm: [], lists: [], writes: [], daemon: [] },
    learned: { runs: [], beside: [] },
  };
  if (wantsRegistry) await measureRegistry(engine, report);
  if (wanted.includes('learned')) await measureRuns(engine, report);
  return report;
}

async function measureRegistry(engine: Engine, report: EngineReport): Promise<void> {
  const store = await openStore(engine);
  let filled = 0;
  try {
    for (const size of sizes) {
      say(`${engine}, ${size} capabilities …`);
      const opened = await store.open();
      await fill(opened, filled, size, say);
      filled = size;
      if (wanted.includes('names')) report.cold.push(...(await measureCold(opened, size, rounds(1000, 200))));
      if (wanted.includes('names')) report.warm.push(...(await measureWarm(opened, size, rounds(10, 3))));
      if (wanted.includes('lists')) report.lists.push(...(await measureLists(opened, size, rounds(7, 3))));
      if (wanted.includes('writes'))
        report.writes.push(...(await measureWrites(opened, size, rounds(300, 50))));
      await opened.close();
      if (wanted.includes('daemon')) report.daemon.push(await measureDaemon(store, size, rounds(5, 2)));
    }
  } finally {
    await store.close();
  }
}

async function measureRuns(engine: Engine, report: EngineReport): Promise<void> {
  const store = await openStore(engine);
  let filled = 0;
  try {
    for (const size of learnedSizes) {
      say(`${engine}, runs learned beside ${size} capabilities …`);
      const opened = await store.open();
      await fill(opened, filled, size, say, ONE_USER);
      filled = size;
      await opened.close();
      const { runs, beside } = await measureLearned(store, size, { runs: rounds(300, 60), atOnce: 600 });
      report.learned.runs.push(...runs);
      report.learned.beside.push(...beside);
    }
  } finally {
    await store.close();
  }
}

const loadBefore = loadavg()[0] as number;
const report: Report = {
  machine: { cpus: cpus().length, node: process.version, loadBefore, loadAfter: 0 },
  engines: [],
};
for (const engine of engines) report.engines.push(await measure(engine));
report.machine.loadAfter = loadavg()[0] as number;

if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else printReport(report);
