import { isReadOnlyTool } from '../../src/code/index.ts';
import { Choices } from '../../src/testing/programs/choices.ts';
import { differenceOf } from '../../src/testing/programs/compare-runs.ts';
import type { Learner, Lesson } from '../../src/testing/programs/learner.ts';
import { originalArguments } from '../../src/testing/programs/original-arguments.ts';
import { type Answer, type ProgramRun, runProgram } from '../../src/testing/programs/run-program.ts';
import { PLAIN_STYLE, type Procedure, type Style } from '../../src/testing/programs/styles/procedure.ts';
import { writeProgram } from '../../src/testing/programs/styles/write-program.ts';
import { type Data, type Item, type LinkMode, procedureOf, skeletonOf, withOtherData } from './data.ts';
import { looseIdentityOf } from './loose-identity.ts';
import { variedStyle } from './styles.ts';

/** A program that was run and learned. */
export interface Lived {
  readonly item: Item;
  readonly procedure: Procedure;
  readonly source: string;
  /** Programs that differ here do something else, and must not be one capability. */
  readonly behaviour: string;
  readonly skeleton: string;
  readonly run: ProgramRun;
  readonly lesson: Lesson;
  /** Undefined if the program was not kept. */
  readonly identity: string | undefined;
}

/** Writes, runs and learns a program for a procedure. */
export async function live(
  learner: Learner,
  item: Item,
  procedure: Procedure,
  style: Style,
  choices: Choices,
): Promise<Lived> {
  const { source, behaviour } = writeProgram(procedure, style, choices);
  const run = await runProgram(source, { answer: answersOf(procedure, item) });
  if (run.outcome.kind !== 'returned')
    throw new Error(
      `A program of the generator does not run: ${run.outcome.kind} ${run.outcome.text}\n${source}`,
    );
  const lesson = learner.learn(source, run);
  const skeleton = skeletonOf(procedure);
  const identity = lesson.learned?.codeHash;
  return { item, procedure, source, behaviour: `${skeleton} ${behaviour}`, skeleton, run, lesson, identity };
}

/** Answers as the record has it, the same calls in their order. */
export function answersOf(
  { calls }: Procedure,
  { id }: Item,
): (call: { name: string; occurrence: number }) => Answer {
  const byTool = Map.groupBy(calls, ({ server, tool }) => `${server}:${tool}`);
  const asked = new Map<string, number>();
  return ({ name }) => {
    const recorded = byTool.get(name);
    const at = asked.get(name) ?? 0;
    asked.set(name, at + 1);
    if (!recorded) throw new Error(`${id} calls ${name}, which is not in the record`);
    return { value: recorded[Math.min(at, recorded.length - 1)]?.result ?? null };
  };
}

export interface ReuseRow {
  readonly style: string;
  readonly items: number;
  readonly skeletons: number;
  readonly capabilities: number;
  /** (items − capabilities) / (items − skeletons). */
  readonly reuse: number;
  /** The reuse that remains possible: programs that do something else are rightly others. */
  readonly ceiling: number;
  readonly refused: number;
}

export function reuseRow(style: string, lived: readonly Lived[]): ReuseRow {
  const skeletons = new Set(lived.map(({ skeleton }) => skeleton)).size;
  const behaviours = new Set(lived.map(({ behaviour }) => behaviour)).size;
  const refused = lived.filter(({ identity }) => identity === undefined).length;
  const capabilities = new Set(lived.flatMap(({ identity }) => identity ?? [])).size + refused;
  const share = (kinds: number) => (lived.length - kinds) / (lived.length - skeletons);
  return {
    style,
    items: lived.length,
    skeletons,
    capabilities,
    reuse: share(capabilities),
    ceiling: share(behaviours),
    refused,
  };
}

export interface PairRow {
  readonly pairs: number;
  readonly one: number;
  /** Not one capability, but the agent is told of the other. */
  readonly warned: number;
  readonly unmentioned: number;
}

/** How many pairs of programs for one procedure are one capability. */
export function pairRow(pairs: readonly (readonly [Lived, Lived])[]): PairRow {
  let [one, warned] = [0, 0];
  for (const [first, second] of pairs) {
    if (first.identity !== undefined && first.identity === second.identity) one += 1;
    else if (loose(first) !== undefined && loose(first) === loose(second)) warned += 1;
  }
  return { pairs: pairs.length, one, warned, unmentioned: pairs.length - one - warned };
}

function loose({ lesson: { learned } }: Lived): string | undefined {
  return learned && looseIdentityOf(learned);
}

/** Capabilities that hold programs which do something else. */
export function wrongMerges(lived: readonly Lived[]): string[] {
  const kept = lived.filter(({ identity }) => identity !== undefined);
  return [...Map.groupBy(kept, ({ identity }) => identity).values()].flatMap((same) => {
    const [first, other] = [...Map.groupBy(same, ({ behaviour }) => behaviour).values()].map(
      ([one]) => one as Lived,
    );
    return first && other ? [`${first.source}\n--- was merged with ---\n${other.source}`] : [];
  });
}

/** Literals that stand apart in the code and became one parameter because they are equal. */
export async function mergedCoincidences(literal: readonly Lived[]): Promise<string[]> {
  const found: string[] = [];
  for (const { item, procedure, source, lesson } of literal) {
    const { code, parameters } = lesson.learned ?? { code: '', parameters: [] };
    // A mark for each parameter shows how many arguments it reaches.
    const marks = Object.fromEntries(parameters.map(({ name }) => [name, `@@${name}`]));
    const { calls } = await runProgram(code, { args: marks, answer: answersOf(procedure, item) });
    const reached = calls.flatMap(({ args }) => (JSON.stringify(args) ?? '').match(/@@\w+/g) ?? []);
    const shared = new Set(reached.filter((mark, at) => reached.indexOf(mark) !== at));
    if (shared.size > 0) found.push(`${[...shared].join()} in\n${source}`);
  }
  return found;
}

/** Runs the stored code of one program with the data of another of its identity, or its own; says how it differs. */
export async function replayDifference(
  stored: Lived,
  { item, procedure, run, lesson }: Lived,
): Promise<string | undefined> {
  const [kept, learned] = [stored.lesson.learned, lesson.learned];
  if (!kept || !learned) return undefined;
  const answer = () => ({ answer: answersOf(procedure, item) });
  const args = await originalArguments(learned, run, (given) =>
    runProgram(learned.code, { args: given, ...answer() }),
  );
  // Calls that only read may run at the same time, so their order does not count.
  const isReadOnly = (name: string) => isReadOnlyTool({ name });
  return differenceOf(run, await runProgram(kept.code, { args, ...answer() }), isReadOnly);
}

/** Writes, runs and learns one program for each item, in a style. */
export async function liveAll(
  learner: Learner,
  data: Data,
  mode: LinkMode,
  styleOf: (choices: Choices) => Style,
  { seed = '', other = false } = {},
): Promise<Lived[]> {
  const lived: Lived[] = [];
  for (const item of data.items) {
    const written = procedureOf(item, mode);
    const procedure = other ? withOtherData(written, data.tools, item.id) : written;
    const choices = Choices.seeded(`${seed} ${item.id}`);
    lived.push(await live(learner, item, procedure, styleOf(choices), choices));
  }
  return lived;
}

export const literalStyle = (): Style => PLAIN_STYLE;
export const varied = (choices: Choices): Style => variedStyle(choices);
export const variedWithoutGuards = (choices: Choices): Style => variedStyle(choices, { guards: false });
