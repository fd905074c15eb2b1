/**
 * Measures the registry as it grows, each figure beside something measured in the same run.
 *
 *   node bench/registry.ts [--quick] [--json] [--engine pglite|postgres] [--sizes 1000,10000] [--only names,lists,writes,daemon]
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type DaemonRow, measureDaemon } from './registry/daemon.ts';
import { fill } from './registry/fill.ts';
import { type ListRow, measureLists } from './registry/lists.ts';
import { measureCold, measureWarm, type NameRow } from './registry/names.ts';
import { printReport } from './registry/report.ts';
import { type Engine, openStore } from './registry/stores.ts';
import { measureWrites, type WriteRow } from './registry/writes.ts';

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

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    engine: { type: 'string' },
    sizes: { type: 'string' },
    only: { type: 'string', default: 'names,lists,writes,daemon' },
  },
});
const { quick } = values;
const sizes = (values.sizes ?? (quick ? '1000,10000' : '1000,10000,100000,1000000')).split(',').map(Number);
const engines = (values.engine ? [values.engine] : ['pglite', 'postgres']) as Engine[];
const wanted = values.only.split(',');

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
      if (wanted.includes('names'))
        report.cold.push(...(await measureCold(opened, size, quick ? 200 : 1000)));
      if (wanted.includes('names')) report.warm.push(...(await measureWarm(opened, size, quick ? 3 : 10)));
      if (wanted.includes('lists')) report.lists.push(...(await measureLists(opened, size, quick ? 3 : 7)));
      if (wanted.includes('writes'))
        report.writes.push(...(await measureWrites(opened, size, quick ? 50 : 300)));
      await opened.close();
      if (wanted.includes('daemon')) report.daemon.push(await measureDaemon(store, size, quick ? 2 : 5));
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
