/**
 * Measures, through a real gateway, whether what PML learns is what ran: programs in many styles, called with other data.
 *
 *   node bench/styles.ts [--own] [--shared] [--aimed] [--only NAME] [--show] [--smoke] [--json]
 */
import { ALL_WORLDS } from './styles/answers.ts';
import { Bed } from './styles/bed.ts';
import { measureFaithfulness } from './styles/faithful.ts';
import { findStrangers, measurePairs } from './styles/merges.ts';
import { type Procedure, readOwn, readShared, sharedFolder } from './styles/programs.ts';
import { figuresOf, printMisses, printReport, type Report, type SetResult } from './styles/report.ts';
import { benchOptions } from './support/options.ts';
import { observeMachine } from './support/performance-page.ts';

const HELP = `node bench/styles.ts [options]
  --own        the procedures of bench/styles/procedures.txt
  --aimed      the programs of bench/styles/aimed.txt, in which values are used twice
  --shared     the procedures of ${sharedFolder()}; PML_DATA names the folder that holds styles/
  --only NAME  the procedures whose names contain NAME
  --no-pairs   do not run the styles of a procedure in pairs
  --show       print each program and each pair that missed, with the reason
  --smoke      one procedure of each set, in its first two styles and two worlds
  --json       print JSON alone
Without --own, --aimed and --shared it measures all three. With data other than the first, a capability gets the arguments
whose defaults or examples are the first data; the program that it is compared with has the same values written in.
`;

const values = benchOptions(HELP, {
  own: { type: 'boolean', default: false },
  aimed: { type: 'boolean', default: false },
  shared: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  'no-pairs': { type: 'boolean', default: false },
  show: { type: 'boolean', default: false },
});

const machine = observeMachine();
const began = performance.now();
const isAll = !values.own && !values.aimed && !values.shared;
const sets = [
  { set: 'shared', procedures: isAll || values.shared ? readShared() : [] },
  { set: 'own', procedures: isAll || values.own ? readOwn('procedures') : [] },
  { set: 'aimed', procedures: isAll || values.aimed ? readOwn('aimed') : [] },
].map(({ set, procedures }) => ({ set, procedures: chosen(procedures) }));
if (values.shared && readShared().length === 0)
  throw new Error(`There is no data in ${sharedFolder()}. Set PML_DATA to the folder that holds styles/.`);
const worlds = values.smoke ? ALL_WORLDS.slice(0, 2) : ALL_WORLDS;

const bed = new Bed();
try {
  await bed.start();
  const results: SetResult[] = [];
  for (const { set, procedures } of sets)
    if (procedures.length > 0) results.push(await measure(set, procedures));
  const seconds = (performance.now() - began) / 1000;
  const report: Report = { bench: 'styles', machine: machine(), seconds, sets: results.map(figuresOf) };
  if (values.show && !values.json) results.forEach(printMisses);
  if (!values.json) printReport(report);
  process.stdout.write(`${JSON.stringify(values.show && values.json ? { ...report, results } : report)}\n`);
} finally {
  await bed.close();
}

async function measure(set: string, procedures: readonly Procedure[]): Promise<SetResult> {
  const programs = [];
  for (const style of procedures.flatMap(({ styles }) => styles))
    programs.push(await measureFaithfulness(bed, style, worlds));
  const pairs = [];
  for (const procedure of values['no-pairs'] ? [] : procedures)
    pairs.push(...(await measurePairs(bed, procedure)));
  return { set, programs, pairs, strangers: await findStrangers(bed, procedures) };
}

function chosen(procedures: readonly Procedure[]): Procedure[] {
  const named = procedures.filter(({ name }) => name.includes(values.only));
  if (!values.smoke) return named;
  return named.slice(0, 1).map((procedure) => ({ ...procedure, styles: procedure.styles.slice(0, 2) }));
}
