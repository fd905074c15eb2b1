/**
 * Measures how near the names that curation suggests without a model come to those that authors gave. The set is made at run
 * time: functions with doc comments of installed packages, the comment's first sentence as the intent, the code without
 * its name. Half of them, by a hash of the name, served to write the rules; the other half gives the figure.
 *
 *   node bench/naming.ts [--json] [--show 40]
 */
import { namingStyleOf, suggestNames } from '../src/curation/index.ts';
import { plainRules, verbAndNoun } from './naming/baselines.ts';
import { type DocumentedFunction, documentedFunctions, isHeldOut } from './naming/documented-functions.ts';
import { type Score, scoreNames, subTokens } from './naming/score.ts';
import { benchOptions } from './support/options.ts';

/** The sub-token F1 to reach on the held half. */
const GOAL = 45;
const STYLE = namingStyleOf([]);
/** Packages that hold nothing but functions; the others are programs with functions in them. */
const LIBRARIES = new Set(['es-toolkit', 'date-fns', 'ramda']);

const WAYS: Readonly<Record<string, (one: DocumentedFunction) => string[]>> = {
  'first verb + noun': verbAndNoun,
  'plain rules': plainRules,
  PML: suggestedWords,
};

const HELP = `node bench/naming.ts [options]
  --show N  print N functions of the tuning half with the name that PML suggests
  --smoke   every fiftieth function
  --json    print JSON alone
Measures how near the names that curation suggests without a model come to those that authors gave.
`;
const values = benchOptions(HELP, { show: { type: 'string', default: '0' } });

const all = documentedFunctions().filter((_, at) => !values.smoke || at % 50 === 0);
const tuning = all.filter((one) => !isHeldOut(one));
const held = all.filter(isHeldOut);
const libraries = held.filter((one) => LIBRARIES.has(one.package));
const rows = Object.entries(WAYS).map(([way, nameOf]) => ({
  way,
  tuning: scoreNames(tuning, nameOf),
  held: scoreNames(held, nameOf),
  libraries: scoreNames(libraries, nameOf),
}));
const packages = [...new Set(held.map((one) => one.package))].map((name) => {
  const own = held.filter((one) => one.package === name);
  return { name, ...scoreNames(own, suggestedWords) };
});
const ours = rows.at(-1)?.held.f1 ?? 0;
if (!values.json) printReport();
process.stdout.write(
  `${JSON.stringify({ bench: 'naming', functions: all.length, goal: GOAL, rows, packages })}\n`,
);

/** The words of the action that PML suggests. */
function suggestedWords({ intent, code, parameters }: DocumentedFunction): string[] {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, {}]));
  const nameable = {
    id: '1',
    currentName: 'unnamed_1',
    intent,
    code,
    toolsUsed: [],
    parameters: { properties },
  };
  const [suggestion] = suggestNames([nameable], () => false, STYLE);
  return subTokens(suggestion?.name.split(':')[1] ?? '');
}

function printReport(): void {
  const line = (name: string, ...scores: Score[]) =>
    console.log(
      name.padEnd(34),
      ...scores.map(({ f1, mean, exact }) => `${f1} / ${mean} / ${exact}`.padEnd(22)),
    );
  console.log(
    `${all.length} functions. Sub-token F1 over all words / mean F1 of a name / exact names, in %\n`,
  );
  console.log(''.padEnd(34), 'held half'.padEnd(22), 'its libraries'.padEnd(22), 'tuning half');
  for (const row of rows) line(row.way, row.held, row.libraries, row.tuning);
  console.log(`\nGoal on the held half: ${GOAL}${ours >= GOAL ? ', met' : ', missed !'}\n`);
  for (const { name, ...score } of packages) line(`${name} (${score.count})`, score);
  // Only the tuning half is shown, so that no rule is written for the other.
  for (const one of tuning.slice(0, Number(values.show)))
    console.log(`${one.package}\t${one.name}\t${suggestedWords(one).join('_')}\t${one.intent}`);
}
