/** Measures the registry as it grows, each figure beside something measured in the same run. */
import { cpus, loadavg } from 'node:os';
import { type DaemonRow, measureDaemon } from './registry/daemon.ts';
import { fill } from './registry/fill.ts';
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
}

export interface Report {
  machine: { cpus: number; node: string; loadBefore: number; loadAfter: number };
  engines: EngineReport[];
}

const HELP = `node bench/registry.ts [options]
  --engine E    pglite or postgres; both, if absent
  --sizes LIST  how many capabilities there are (1000,10000,100000,1000000)
  --only LIST   of names,lists,writes,daemon
  --quick       fewer rounds, and at most 10,000 capabilities
  --smoke       100 capabilities on PGlite and one round, without the daemon
  --json        print JSON alone
Measures lookups, lists, writes and the start of a daemon as the registry grows.
`;
const values = benchOptions(HELP, {
  quick: { type: 'boolean', default: false },
  engine: { type: 'string' },
  sizes: { type: 'string' },
  only: { type: 'string', default: 'names,lists,writes,daemon' },
});
const usualSizes = values.smoke ? '100' : values.quick ? '1000,10000' : '1000,10000,100000,1000000';
const sizes = (values.sizes ?? usualSizes).split(',').map(Number);
/** Chooses a number of rounds. */
const rounds = (full: number, quick: number) => (values.smoke ? 1 : values.quick ? quick : full);
const engines = (values.engine?.split(',') ??
  (values.smoke ? ['pglite'] : ['pglite', 'postgres'])) as Engine[];
const wanted = values.only.split(',').filter((part) => !values.smoke || part !== 'daemon');

function say(text: string): void {
  if (!values.json) process.stderr.write(`${text}\n`);
}

async function measure(engine: Engine): Promise<EngineReport> {
  const report: EngineReport = { engine, cold: [], warm: [], lists: [], writes: [], daemon: [] };
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
  return report;
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
