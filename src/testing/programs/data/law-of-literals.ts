import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonSchema } from '../../../code/testing.ts';
import type { Choices } from '../choices.ts';
import { Learner } from '../learner.ts';
import { type ProgramRun, runProgram } from '../run-program.ts';
import { type DataProgram, writeIn } from './draft.ts';
import { answersOf, TOOLS } from './tools.ts';

const WORLDS = [0, 1, 2, 4, 5];
const TOOL_SCHEMAS = new Map(Object.entries(TOOLS));

interface KnownParameter {
  readonly name: string;
  readonly default?: Json;
  readonly example?: Json;
}

/** How a program keeps the law, and how many of its data became parameters. */
export interface LawResult {
  /** Where the capability does something else than the program with the values written in. */
  readonly broken: string | undefined;
  readonly lifted: number;
  readonly data: number;
}

/**
 * Learns a program, and compares the capability, with other values for each of its data and for all of them, with the program in
 * which these values are written. Data that is equal may be one parameter.
 */
export async function lawOfLiterals(program: DataProgram, choices: Choices): Promise<LawResult> {
  const source = writeIn(program, program.values);
  const run = await runProgram(source, { answer: answersOf(0) });
  const learned = new Learner(TOOL_SCHEMAS).learn(source, run);
  const keys = Object.keys(program.values);
  if (!learned) return { broken: undefined, lifted: 0, data: keys.length };
  const parameters = learned.parameters as readonly KnownParameter[];
  const usual = Object.fromEntries(parameters.map((one) => [one.name, one.default ?? one.example]));
  const meant = parameters.map((one) => ({ one, keys: keysOf(program, one) }));
  const changed = meant.flatMap(({ one, keys: [first] }) =>
    first === undefined
      ? []
      : [
          {
            name: one.name,
            value: otherValue(program, first, learned.parametersSchema.properties?.[one.name], choices),
          },
        ],
  );
  const trials = [...changed.map((one) => [one]), changed];
  const lifted = new Set(meant.flatMap((one) => one.keys)).size;
  for (const trial of trials) {
    const args = { ...usual, ...Object.fromEntries(trial.map(({ name, value }) => [name, value])) };
    const versions = versionsOf(
      program,
      trial.map(({ name, value }) => ({
        value,
        keys: meant.find(({ one }) => one.name === name)?.keys ?? [],
      })),
    );
    const capability = await behaviours(learned.code, args);
    let broken: string | undefined;
    for (const values of versions) {
      const written = writeIn(program, values);
      broken = firstDifference(await behaviours(written, {}), capability);
      if (broken === undefined) break;
    }
    if (broken !== undefined)
      return {
        broken: `${JSON.stringify(args)}: ${broken}\n${source}\n=> ${learned.code}`,
        lifted,
        data: keys.length,
      };
  }
  return { broken: undefined, lifted, data: keys.length };
}

function keysOf({ values }: DataProgram, { name, default: usual, example }: KnownParameter): string[] {
  const equal = Object.keys(values).filter((key) => isDeepStrictEqual(values[key], usual ?? example));
  // Where several are equal, the one of the same name is meant, alone or with others.
  return equal.sort((a, b) => Number(b === name) - Number(a === name));
}

function otherValue(
  { others, values }: DataProgram,
  key: string,
  schema: JsonSchema | boolean | undefined,
  choices: Choices,
): Json {
  const allowed = typeof schema === 'object' ? schema.enum : undefined;
  const fitting = (others[key] ?? []).filter((one) => !allowed || allowed.includes(one));
  return fitting.length > 0 ? choices.one(fitting) : (values[key] as Json);
}

/** The programs that a trial may mean: equal data may mean one thing or several. */
function versionsOf({ values }: DataProgram, trial: readonly { value: Json; keys: readonly string[] }[]) {
  let versions: Record<string, Json>[] = [values];
  for (const { value, keys } of trial) {
    const sets = subsets(keys).map((set) => Object.fromEntries(set.map((key) => [key, value])));
    versions = versions.flatMap((version) => sets.map((set) => ({ ...version, ...set }))).slice(0, 512);
  }
  return versions;
}

function subsets(keys: readonly string[]): string[][] {
  const all: string[][] = [[]];
  for (const key of keys) all.push(...all.map((set) => [...set, key]));
  return all.filter((set) => set.length > 0).reverse();
}

async function behaviours(source: string, args: Record<string, unknown>): Promise<string[]> {
  const all: string[] = [];
  for (const world of WORLDS) all.push(textOf(await runProgram(source, { answer: answersOf(world), args })));
  return all;
}

function textOf({ calls, outcome }: ProgramRun): string {
  return [...calls.map(({ key }) => key), `${outcome.kind} ${outcome.text}`].join('\n');
}

function firstDifference(expected: readonly string[], found: readonly string[]): string | undefined {
  const at = expected.findIndex((text, world) => text !== found[world]);
  return at === -1 ? undefined : `in world ${WORLDS[at]}\nexpected ${expected[at]}\nbut found ${found[at]}`;
}
