/**
 * Measures what PML learns from recorded procedures written in many styles, and that it merges nothing wrongly.
 *
 *   node bench/learning.ts [--quick] [--smoke] [--json] [--show] [--rounds 3]
 */
import { cpus, loadavg } from 'node:os';
import { Bed } from './learning/bed.ts';
import { dataFolder, type LinkMode, readData } from './learning/data.ts';
import { type ModeReport, measureMode } from './learning/measure.ts';
import { printReport } from './learning/report.ts';
import { type HomeRow, loginTool, measureSecrets, type SecretRow, trySecrets } from './learning/secrets.ts';
import { benchOptions } from './support/options.ts';

const HELP = `node bench/learning.ts [options]
  --quick      one round of varied styles
  --smoke      as --quick, on the first 30 items
  --rounds N   draw the varied styles N times (3)
  --show       print the programs that were merged wrongly, and the leaks
  --json       print JSON alone
The data is read from ${dataFolder()}; PML_DATA names the folder that holds procedures/.
`;

export interface Report {
  bench: 'learning';
  machine: { cpus: number; node: string; loadBefore: number; loadAfter: number };
  items: number;
  modes: ModeReport[];
  secrets: { rows: SecretRow[]; leaks: string[]; home: HomeRow };
}

const values = benchOptions(HELP, {
  quick: { type: 'boolean', default: false },
  rounds: { type: 'string', default: '3' },
  show: { type: 'boolean', default: false },
});

const isQuick = values.quick || values.smoke;
const loadBefore = loadavg()[0] as number;
const all = readData();
const data = values.smoke ? { ...all, items: all.items.slice(0, 30) } : all;
const bed = new Bed([...data.tools.values(), loginTool()]);
const modes: ModeReport[] = [];
let home: HomeRow;
try {
  await bed.start();
  for (const mode of ['link', 'literal'] satisfies LinkMode[])
    modes.push(await measureMode(bed, data, mode, isQuick ? 1 : Number(values.rounds)));
  home = await trySecrets(bed, data, isQuick ? 30 : 120);
} finally {
  await bed.close();
}
const { rows, leaks } = await measureSecrets(data, isQuick ? 10 : 100);
const report: Report = {
  bench: 'learning',
  machine: { cpus: cpus().length, node: process.version, loadBefore, loadAfter: loadavg()[0] as number },
  items: data.items.length,
  modes,
  secrets: { rows, leaks, home },
};
if (!values.json) printReport(report, values.show);
// The examples are for people; the figures are for programs.
process.stdout.write(`${JSON.stringify(values.show ? report : withoutTexts(report))}\n`);

function withoutTexts({ modes, secrets, ...rest }: Report): object {
  return {
    ...rest,
    modes: modes.map(({ wrongMerges, replayDifferences, ...figures }) => ({
      ...figures,
      wrongMerges: wrongMerges.length,
      replayDifferences: replayDifferences.length,
    })),
    secrets: { rows: secrets.rows, home: { tried: secrets.home.tried, found: secrets.home.found.length } },
  };
}
