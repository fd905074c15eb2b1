/**
 * Plays recorded sequences of calls as sessions, three times each, and judges the programs that PML proposes.
 *
 *   node bench/plain-calls.ts [--quick] [--json] [--show]
 */
import { cpus, loadavg } from 'node:os';
import { measureCost } from './plain-calls/cost.ts';
import { type Item, mutate, readData } from './plain-calls/data.ts';
import { judge } from './plain-calls/judge.ts';
import { playSessions } from './plain-calls/sessions.ts';
import { benchOptions } from './support/options.ts';
import { short, table } from './support/stats.ts';

const HELP = `node bench/plain-calls.ts [options]
  --quick  30 sequences
  --smoke  three sequences with the same data
  --show   print the programs that are wrong
  --json   print JSON alone
Plays recorded sequences of calls as sessions, three times each, and judges the programs that PML proposes.
The data is read from the folder procedures/ in ../shared/data, or in PML_DATA.
`;
const values = benchOptions(HELP, {
  quick: { type: 'boolean', default: false },
  show: { type: 'boolean', default: false },
});

const UNSEEN = 5;
const { items: all, tools } = readData();
const items = values.smoke ? all.slice(0, 3) : values.quick ? all.slice(0, 30) : all;
const turns = (of: readonly number[]) => of.map((turn) => items.map((item) => [mutate(item, turn)]));

/** An order that is the same in every run of the bench. */
function shuffled(list: readonly Item[], seed: number): Item[] {
  const order = [...list];
  let state = seed + 1;
  for (let at = order.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (at + 1));
    [order[at], order[other]] = [order[other] as Item, order[at] as Item];
  }
  return order;
}

const MODES = [
  { what: 'a session each, the same data', sessions: turns([0, 0, 0]).flat() },
  { what: 'a session each, other data', sessions: turns([0, 1, 2]).flat() },
  {
    what: 'three long sessions, other data',
    sessions: [0, 1, 2].map((turn) =>
      shuffled(
        items.map((item) => mutate(item, turn)),
        turn,
      ),
    ),
  },
];

const rows: object[] = [];
for (const { what, sessions } of values.smoke ? MODES.slice(0, 1) : MODES) {
  const { calls, proposals } = await playSessions(tools, sessions);
  // With the same data thrice, everything is a constant; only that data can tell what is wrong.
  const unseen = what.includes('same data') ? 0 : UNSEEN;
  const judged = await Promise.all(proposals.map((one) => judge(one, items, unseen)));
  const wrong = judged.flatMap(({ wrong: why }, index) =>
    why === undefined ? [] : [{ ...proposals[index], why }],
  );
  if (values.show) for (const one of wrong) console.error(`${one.why}\n${one.code}\n`);
  rows.push({
    what,
    sessions: sessions.length,
    calls,
    proposals: proposals.length,
    crossing: judged.filter(({ isCrossing }) => isCrossing).length,
    whole: judged.filter(({ isWhole }) => isWhole).length,
    exact: proposals.filter(({ differences }) => differences?.length === 0).length,
    wrong: wrong.length,
    links: judged.reduce((sum, { links }) => sum + links, 0),
    parameters: judged.reduce((sum, { parameters }) => sum + parameters, 0),
  });
}

const cost = await measureCost(
  values.smoke ? 100 : values.quick ? 2000 : 10_000,
  items,
  values.smoke ? 40 : 4000,
);
const machine = { cpus: cpus().length, node: process.version, load: loadavg()[0] as number };
if (values.json)
  process.stdout.write(`${JSON.stringify({ bench: 'plain-calls', machine, rows, cost }, null, 2)}\n`);
else {
  const heads = Object.keys(rows[0] as object);
  const cells = rows.map((row) => Object.values(row).map(String));
  const costs = Object.entries(cost).map(([name, value]) => [name, short(value)]);
  process.stdout.write(`${table([heads, ...cells])}\n\n${table([['cost of a call', ''], ...costs])}\n`);
}
