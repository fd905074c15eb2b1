/**
 * Measures how near the heuristics of curation come to the names that authors gave: functions with doc comments of installed
 * packages, the first sentence as the intent. Half of them, by a hash of the name, served to write the rules; the other
 * half gives the figure.
 *
 *   node bench/naming.ts [--json] [--show 40]
 */
import { parseArgs } from 'node:util';
import { namingStyleOf, suggestNames } from '../src/curation/index.ts';
import { plainRules, verbAndNoun } from './naming/baselines.ts';
import { type DocumentedFunction, documentedFunctions, isHeldOut } from './naming/documented-functions.ts';
import { scoreNames, subTokens } from './naming/score.ts';

const GOAL = 45;
const STYLE = namingStyleOf([]);

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, show: { type: 'string', default: '0' } },
});

const WAYS: Readonly<Record<string, (one: DocumentedFunction) => string[]>> = {
  'first verb + noun': verbAndNoun,
  'plain rules': plainRules,
  PML: heuristicName,
};

const all = documentedFunctions();
const halves = { tuning: all.filter((one) => !isHeldOut(one)), held: all.filter(isHeldOut) };
const packages = [...new Set(all.map((one) => one.package))];
const started = performance.now();
const rows = Object.entries(WAYS).map(([way, nameOf]) => ({
  way,
  tuning: scoreNames(halves.tuning, nameOf),
  held: scoreNames(halves.held, nameOf),
}));
const each = packages.map((name) => ({
  package: name,
  held: scoreNames(
    halves.held.filter((one) => one.package === name),
    heuristicName,
  ),
}));
const ours = rows.find(({ way }) => way === 'PML');
const report = {
  bench: 'naming',
  goal: GOAL,
  functions: all.length,
  rows,
  each,
  met: (ours?.held.f1 ?? 0) >= GOAL,
};
if (!values.json) printReport();
process.stdout.write(`${JSON.stringify(report)}\n`);

/** The action that PML suggests, as words. */
function heuristicName({ name: id, intent, code, parameters }: DocumentedFunction): string[] {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, {}]));
  const nameable = { id, currentName: 'unnamed_0', intent, code, toolsUsed: [], parameters: { properties } };
  const [suggestion] = suggestNames([nameable], () => false, STYLE);
  return subTokens(suggestion?.name.split(':')[1] ?? '');
}

function printReport(): void {
  console.log(
    `${all.length} functions; sub-token F1 (micro), mean of each function's F1, exact names, in %\n`,
  );
  for (const { way, tuning, held } of rows)
    console.log(
      `${way.padEnd(20)} tuning ${tuning.f1} ${tuning.mean} ${tuning.exact}   held ${held.f1} ${held.mean} ${held.exact}`,
    );
  console.log('');
  for (const { package: name, held } of each)
    console.log(`${name.padEnd(34)} ${String(held.count).padStart(4)}  ${held.f1} ${held.mean}`);
  // Only the tuning half is shown, so that the rules cannot be written to the other.
  for (const one of halves.tuning.slice(0, Number(values.show)))
    console.log(`${one.package}\t${one.name}\t${heuristicName(one).join('_')}\t${one.intent}`);
  console.log(`(${Math.round(performance.now() - started)} ms)`);
}
