/**
 * Scores the classification of literals on `verdicts.jsonl`: arguments of recorded calls, and arguments written for
 * parameters drawn at random from the schemas of real MCP tools. `label` and `label2` were given in two passes, the second
 * in shuffled order, before the rules were tuned; `resolved` counts. The rules may be tuned to the tuning half only.
 *
 * `npm run bench:verdicts` prints precision and recall per kind and one line of JSON; `--all` lists the reported half's
 * confusions too.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { classifyLiteral } from '../../src/code/testing.ts';
import type { JsonSchema } from '../../src/json.ts';
import { benchOptions } from '../support/options.ts';

const HELP = `node bench/learning/verdicts.ts [options]
  --all    list the wrong verdicts of the reported half too
  --smoke  every twentieth literal
  --json   print JSON alone
Scores the classification of literals as data, programs and secrets on verdicts.jsonl.
`;
const values = benchOptions(HELP, { all: { type: 'boolean', default: false } });
/** The tables are for people. */
const say = values.json ? () => {} : console.log;

const KINDS = ['data', 'program', 'secret'] as const;
type Kind = (typeof KINDS)[number];

interface Labelled {
  source: string;
  /** Drawn and labelled after the first tuning. */
  set?: 'fresh';
  tool: string;
  path: string;
  schema: JsonSchema;
  value: string;
  label: Kind;
  label2: Kind;
  resolved: Kind;
}

interface Judged extends Labelled {
  kind: Kind;
  rule: string;
}

const literals: Judged[] = readFileSync(new URL('verdicts.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .filter((_, at) => !values.smoke || at % 20 === 0)
  .map((line) => judge(JSON.parse(line) as Labelled));

const agreed = literals.filter(({ label, label2 }) => label === label2).length;
say(`${literals.length} literals, ${agreed} labelled alike twice (${percent(agreed, literals.length)})`);
const halves = {
  tuning: literals.filter((one) => one.set === undefined && isTuning(one)),
  reported: literals.filter((one) => one.set === undefined && !isTuning(one)),
  fresh: literals.filter(({ set }) => set === 'fresh'),
};
const scores = Object.fromEntries(
  Object.entries(halves).map(([half, judged]) => [half, KINDS.map((kind) => scoreOf(judged, kind))]),
);
for (const [half, judged] of Object.entries(halves)) {
  say(`\n${half} half, ${judged.length} literals`);
  if (!values.json)
    console.table(Object.fromEntries((scores[half] ?? []).map(({ kind, ...score }) => [kind, score])));
  for (const one of half === 'tuning' || values.all ? judged.filter(isWrong) : [])
    say(
      `${one.tool} ${one.path}=${JSON.stringify(one.value).slice(0, 90)}: ${one.kind} (${one.rule}), not ${one.resolved}`,
    );
}
console.log(JSON.stringify({ literals: literals.length, agreed, ...scores }));

function judge(literal: Labelled): Judged {
  const { path, value, schema } = literal;
  const key = path.split('.').at(-1)?.replaceAll('[]', '');
  return { ...literal, ...classifyLiteral({ key, value, schema }) };
}

/** All values of one parameter fall into one half. */
function isTuning({ tool, path }: Labelled): boolean {
  return createHash('sha256').update(`${tool} ${path}`).digest().readUInt8(0) % 2 === 0;
}

function isWrong({ kind, resolved }: Judged): boolean {
  return kind !== resolved;
}

function scoreOf(judged: readonly Judged[], kind: Kind) {
  const labelled = judged.filter(({ resolved }) => resolved === kind);
  const said = judged.filter((one) => one.kind === kind);
  const right = said.filter(({ resolved }) => resolved === kind).length;
  return {
    kind,
    labelled: labelled.length,
    said: said.length,
    right,
    precision: percent(right, said.length),
    recall: percent(right, labelled.length),
  };
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;
}
