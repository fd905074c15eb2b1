/**
 * Measures what memory saves a model: recorded and real procedures, done by direct calls, in code, and with PML the first
 * time and when it remembers; and how often PML offers a capability that does something else.
 *
 *   node bench/memory.ts [--quick] [--json] [--show]
 */
import { cpus, loadavg } from 'node:os';
import { dataFolder, readData } from './learning/data.ts';
import { Bed } from './memory/bed.ts';
import { type Measured, measure } from './memory/measure.ts';
import { npmProcedures } from './memory/npm-procedures.ts';
import { recordedProcedures } from './memory/recorded-procedures.ts';
import { printReport } from './memory/report.ts';
import { ENCODING, tokensOfTools } from './memory/token-count.ts';
import { benchOptions } from './support/options.ts';

const HELP = `node bench/memory.ts [options]
  --quick   ten recorded procedures and four over real servers
  --smoke   one of each
  --show    print what was not offered first, and what a remembered call did otherwise
  --json    print JSON alone
The data is read from ${dataFolder()}; PML_DATA names the folder that holds procedures/.
`;

export interface Report {
  bench: 'memory';
  machine: { cpus: number; node: string; loadBefore: number; loadAfter: number };
  encoding: string;
  /** Tokens of the lists that a client loads. */
  toolLists: { servers: number; serverTools: number; lean: number; leanTools: number };
  sets: { name: string; measured: Measured[] }[];
}

const values = benchOptions(HELP, {
  quick: { type: 'boolean', default: false },
  show: { type: 'boolean', default: false },
});
const most = (quick: number) => (values.smoke ? 1 : values.quick ? quick : Number.POSITIVE_INFINITY);

const loadBefore = loadavg()[0] as number;
const data = readData();
const bed = new Bed(data);
try {
  await bed.start();
  const recorded = recordedProcedures(data, most(10));
  const real = npmProcedures(bed.npm.root, most(4));
  // One memory holds them all, so that each is found among the others.
  const measured = await measure(bed, [...recorded, ...real]);
  const { servers, pml } = await bed.toolLists();
  const report: Report = {
    bench: 'memory',
    machine: { cpus: cpus().length, node: process.version, loadBefore, loadAfter: loadavg()[0] as number },
    encoding: ENCODING,
    toolLists: {
      ...{ servers: tokensOfTools(servers), serverTools: servers.length },
      ...{ lean: tokensOfTools(pml), leanTools: pml.length },
    },
    sets: [
      { name: 'recorded procedures', measured: measured.slice(0, recorded.length) },
      { name: 'procedures over npm servers', measured: measured.slice(recorded.length) },
    ],
  };
  if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  else printReport(report, values.show);
} finally {
  await bed.close();
}
