/**
 * Counts the tokens that a client loads before it has done anything: for 3, 10 and 30 real servers, connected directly and
 * through PML in each way to list tools.
 *
 *   node bench/tokens.ts [--json] [--former]
 */
import { ENCODING } from './memory/token-count.ts';
import { benchOptions } from './support/options.ts';
import { table } from './support/stats.ts';
import { FORMER_WAYS, type Measured, measure, WAYS } from './tokens/measure.ts';

const HELP = `node bench/tokens.ts [options]
  --former  only the ways that PML always had, for a program of before: PML_BENCH_PROGRAM=…/bin/pml.js
  --smoke   three servers, two ways
  --json    print JSON alone
The official npm servers are started; the lists of the others are read from PML_DATA.
`;

const values = benchOptions(HELP, { former: { type: 'boolean', default: false } });

const allWays = values.former ? FORMER_WAYS : Object.keys(WAYS);
const ways = values.smoke ? allWays.slice(0, 2) : allWays;
const measured: Measured[] = [];
for (const count of values.smoke ? [3] : [3, 10, 30]) measured.push(await measure(count, ways));
const report = { bench: 'tokens', encoding: ENCODING, measured };
process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : `${printed(measured)}\n`);

function printed(all: readonly Measured[]): string {
  const rows = (all[0]?.loaded ?? []).map(({ way }, at) => [
    way,
    ...all.flatMap(({ loaded }) => {
      const [direct, own] = [loaded[0]?.tokens ?? 0, loaded[at]];
      return [`${own?.tools}`, `${own?.tokens}`, `${((own?.tokens ?? 0) / direct).toFixed(2)}`];
    }),
  ]);
  const columns = [
    'way',
    ...all.flatMap(({ servers }) => [`${servers} servers: tools`, 'tokens', 'to direct']),
  ];
  return table([columns, ...rows]);
}
