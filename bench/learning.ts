/**
 * Measures what PML learns from recorded procedures written in many styles, and that it merges nothing wrongly.
 *
 *   node bench/learning.ts [--quick] [--smoke] [--json] [--gateway] [--show] [--rounds 3]
 */
import { cpus, loadavg } from 'node:os';
import { dataFolder, type LinkMode, readData } from './learning/data.ts';
import { type ModeReport, measureInProcess } from './learning/in-process.ts';
import { printReport } from './learning/report.ts';
import { measureSecrets, type SecretRow } from './learning/secrets.ts';
import { type GatewayReport, measureThroughPml } from './learning/through-pml.ts';
import { benchOptions } from './support/options.ts';

const HELP = `node bench/learning.ts [options]
  --quick      one round of varied styles, and no single styles
  --smoke      as --quick, on the first 30 items
  --gateway    also send a sample through a real PML whose servers answer from the record
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
  secrets: { rows: SecretRow[]; leaks: string[] };
  gateway: GatewayReport | undefined;
}

const values = benchOptions(HELP, {
  quick: { type: 'boolean', default: false },
  gateway: { type: 'boolean', default: false },
  rounds: { type: 'string', default: '3' },
  show: { type: 'boolean', default: false },
});

const isQuick = values.quick || values.smoke;
const loadBefore = loadavg()[0] as number;
const all = readData();
const data = values.smoke ? { ...all, items: all.items.slice(0, 30) } : all;
const plan = { rounds: isQuick ? 1 : Number(values.rounds), singles: !isQuick };
const modes: ModeReport[] = [];
for (const mode of ['link', 'literal'] satisfies LinkMode[])
  modes.push(await measureInProcess(data, mode, { ...plan, singles: plan.singles && mode === 'link' }));
const { rows, leaks } = await measureSecrets(data, isQuick ? 10 : 100);
const gateway = values.gateway ? await measureThroughPml(data, isQuick ? 30 : 120) : undefined;
const report: Report = {
  bench: 'learning',
  machine: { cpus: cpus().length, node: process.version, loadBefore, loadAfter: loadavg()[0] as number },
  items: data.items.length,
  modes,
  secrets: { rows, leaks },
  gateway,
};
if (!values.json) printReport(report, values.show);
// The examples are for people; the figures are for programs.
process.stdout.write(`${JSON.stringify(values.show ? report : withoutTexts(report))}\n`);

function withoutTexts({ modes, secrets, ...rest }: Report): object {
  return {
    ...rest,
    modes: modes.map(({ wrongMerges, coincidences, replayDifferences, ...figures }) => ({
      ...figures,
      wrongMerges: wrongMerges.length,
      coincidences: coincidences.length,
      replayDifferences: replayDifferences.length,
    })),
    secrets: secrets.rows,
  };
}
