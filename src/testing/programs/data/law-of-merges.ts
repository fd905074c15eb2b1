import { parse, toFunctionBody } from '../../../code/testing.ts';
import type { Choices } from '../choices.ts';
import { type ProgramRun, runProgram } from '../run-program.ts';
import { type DataProgram, writeIn } from './draft.ts';
import { mutate } from './mutate.ts';
import { answersOf } from './tools.ts';

/** A call that a run made. */
export interface RecordedCall {
  readonly name: string;
  readonly args: unknown;
  readonly result?: unknown;
  readonly error?: string;
}

/** Two programs that are to be told apart by a recording of the first. */
export interface Pair {
  readonly codes: readonly [string, string];
  readonly calls: readonly RecordedCall[];
  readonly literals: readonly (string | number)[];
}

/** Worlds of which the recogniser knows nothing. */
const WORLDS = Array.from({ length: 40 }, (_, at) => at + 1);

/** Decides whether two programs did the same in one world. */
export type SameRun = (one: ProgramRun, other: ProgramRun) => boolean;

export interface Merged {
  readonly isEqual: boolean;
  /** The programs and what they did where they differ. */
  readonly wrong: string | undefined;
}

/** Changes a program a little. If the two are taken for one, they must do the same in other worlds as well. */
export async function lawOfMerges(
  program: DataProgram,
  choices: Choices,
  judges: { readonly areOne: (pair: Pair) => Promise<boolean>; readonly isSame: SameRun },
): Promise<Merged | undefined> {
  const changed = mutate(program.text, choices);
  if (changed === undefined || changed === program.text) return undefined;
  const sources = [
    writeIn(program, program.values),
    writeIn({ ...program, text: changed }, program.values),
  ] as const;
  const [one, other] = choices.maybe(50) ? sources : (sources.toReversed() as unknown as typeof sources);
  if (!isProgram(sources[1])) return undefined;
  const run = await runProgram(one, { answer: answersOf(0) });
  if (run.outcome.kind !== 'returned' || run.calls.length === 0) return undefined;
  const calls = run.calls.map(({ name, args, result, failed }) =>
    failed ? { name, args, error: `failed ${name}` } : { name, args, result },
  );
  const literals = [...literalsIn(one), ...literalsIn(other)];
  const isEqual = await judges.areOne({ codes: [bodyOf(one), bodyOf(other)], calls, literals });
  return { isEqual, wrong: isEqual ? await differenceOf(one, other, judges.isSame) : undefined };
}

async function differenceOf(one: string, other: string, isSame: SameRun): Promise<string | undefined> {
  for (const world of WORLDS) {
    const runs = [];
    for (const source of [one, other]) runs.push(await runProgram(source, { answer: answersOf(world) }));
    const [first, second] = runs as [ProgramRun, ProgramRun];
    if (!isSame(first, second))
      return [`in world ${world}`, one, show(first), other, show(second)].join('\n');
  }
  return undefined;
}

function show({ calls, outcome }: ProgramRun): string {
  return `  => ${calls.map(({ key }) => key).join(' ')} ${outcome.kind} ${outcome.text}`;
}

/** The texts and numbers that a program is written with. */
function literalsIn(source: string): (string | number)[] {
  const texts = [...source.matchAll(/"([^"\n]*)"|'([^'\n]*)'/g)].map(
    ([, double, single]) => double ?? single ?? '',
  );
  const numbers = [...source.matchAll(/(?<![\w."'-])\d+(?:\.\d+)?(?![\w"'-])/g)].map(([digits]) =>
    Number(digits),
  );
  return [...new Set([...texts, ...numbers])];
}

function isProgram(source: string): boolean {
  try {
    parse(source);
    return true;
  } catch {
    return false;
  }
}

function bodyOf(source: string): string {
  const { before, code, after } = toFunctionBody(parse(source));
  return before + code + after;
}
