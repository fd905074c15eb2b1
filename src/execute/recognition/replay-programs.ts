import { mutatedValue, runCodeTask } from '../../code/index.ts';
import type { Json } from '../../json.ts';
import type { Recording } from '../../runs/index.ts';
import {
  compareAll,
  decisionsIn,
  type ReplayProgram,
  sameBehaviour,
  type Transcript,
  worldsFor,
} from '../../sandbox/index.ts';
import { ownerOf, type Run } from '../run/run.ts';
import type { CallReads } from './call-reads.ts';
import type { ArgumentSet } from './solve-arguments.ts';
import { variedTogether } from './vary-together.ts';

/** A successful run, as far as a replay needs it. */
export interface ReplayableRun {
  /** The program that ran, as JavaScript. */
  readonly program: ReplayProgram;
  readonly recording: Recording;
  /** The literals of its code. */
  readonly values: readonly Json[];
  readonly toolsUsed: readonly string[];
  /** True if it must not be compared with capabilities. */
  readonly isAlone: boolean;
  /** What PML learned from it: the same program with its literals as arguments. */
  readonly lifted: ReplayProgram;
  /** When the search for a capability that does the same is given up. */
  readonly until: number;
  readonly reads: CallReads;
}

/** A program that may do what the run did. */
interface Guessed {
  readonly program: ReplayProgram;
  readonly args: ArgumentSet;
  /** The arguments for which little speaks. */
  readonly unsure: readonly string[];
}

/** How many programs go through some of the made-up worlds, and how many through all. */
const MAX_PROBED = 10;
const MAX_FINALISTS = 2;
/** The recorded world and the most telling made-up ones: enough to drop most wrong arguments. */
const PROBE_WORLDS = 5;
/** How long an answer waits for all replays of its run together; PML_REPLAY_MS sets another time. */
const WALL_MS = 5000;

/** The replays of a run took too long to tell anything. */
export class OutOfTime extends Error {}

/** The end of the time that the replays of a run may take. */
export function replayDeadline(): number {
  const given = Number(process.env.PML_REPLAY_MS);
  return performance.now() + (process.env.PML_REPLAY_MS && given >= 0 ? given : WALL_MS);
}

/** Tells which programs do what the run did against its recording; undefined if the run itself cannot be replayed. */
export async function alikeAsRecorded<P extends Pick<Guessed, 'program'>>(
  run: Run,
  made: ReplayableRun,
  programs: readonly P[],
): Promise<readonly P[] | undefined> {
  const all = [made.program, ...programs.map(({ program }) => program)];
  const [own, ...others] = await replayIn(run, made, all, 0, 1);
  const [recorded] = own ?? [];
  if (recorded?.end !== 'value') return undefined;
  return programs.filter((_, at) => {
    const other = others[at]?.[0];
    return other && sameBehaviour(recorded, other, made.reads.isRead) === 'same';
  });
}

/** Finds the first program that also does in made-up worlds what the run did. */
export async function firstAlike<P extends Guessed>(
  run: Run,
  made: ReplayableRun,
  programs: readonly P[],
): Promise<P | undefined> {
  const finalists = await probe(run, made, programs.slice(0, MAX_PROBED));
  if (finalists.length === 0) return undefined;
  const all = [made.program, ...finalists.map(({ program }) => program)];
  const [own = [], ...others] = await replayIn(run, made, all);
  for (const [at, finalist] of finalists.entries()) {
    const other = others[at];
    if (!other || !compareAll(own, other, made.reads.isRead)) continue;
    if ((await reachesAllTools(run, made, finalist, own)) && (await isProven(run, made, finalist, own)))
      return finalist;
  }
  return undefined;
}

/**
 * Tells whether each tool was called in some world, by both programs alike. Guards such as `if (!dryRun)` keep the run's own
 * arguments from some of them, so other arguments are tried, too.
 */
async function reachesAllTools(
  run: Run,
  made: ReplayableRun,
  { program }: Guessed,
  own: readonly Transcript[],
): Promise<boolean> {
  const missing = new Set(made.toolsUsed);
  const note = (transcripts: readonly Transcript[]) => {
    for (const { calls } of transcripts) for (const { name } of calls) missing.delete(name);
  };
  note(own);
  if (missing.size === 0) return true;
  for (const [args, others] of variedTogether(made.lifted.args as ArgumentSet, program.args as ArgumentSet)) {
    const [ours = [], theirs = []] = await replayIn(run, made, [
      { ...made.lifted, args },
      { ...program, args: others },
    ]);
    const verdicts = ours.map((one, at) => sameBehaviour(one, theirs[at] as Transcript, made.reads.isRead));
    if (verdicts.length === 0 || verdicts.includes('different')) return false;
    note(ours.filter((_, at) => verdicts[at] === 'same'));
    if (missing.size === 0) return true;
  }
  return false;
}

/** A program whose effect must be seen, or something of it would be taken for equal that nothing has tried. */
const MAX_MUTANTS = 12;
/** As many of the calls that a program makes of one tool at several places. */
const MAX_REPEATED = 12;

/**
 * Tells whether the worlds have tried what the programs do not share: each literal that only one of them has, each argument
 * that was only guessed, and each place where they call a tool that they call elsewhere, too. Another value or tool there
 * must make a difference in some world.
 */
async function isProven(
  run: Run,
  made: ReplayableRun,
  { program, args, unsure }: Guessed,
  own: readonly Transcript[],
): Promise<boolean> {
  const ours = { code: made.program.code, args: made.program.args as ArgumentSet };
  const [ownStrange, strange, ownRepeated, repeated] = await Promise.all([
    runCodeTask('strangeLiterals', ours.code, { args: ours.args, other: program.code, otherArgs: args }),
    runCodeTask('strangeLiterals', program.code, { args, other: ours.code, otherArgs: ours.args }),
    runCodeTask('repeatedCalls', ours.code),
    runCodeTask('repeatedCalls', program.code),
  ]);
  if (ownRepeated.length + repeated.length > MAX_REPEATED) return false;
  const mutants = [
    ...ownRepeated.map((code) => ({ ...made.program, code })),
    ...repeated.map((code) => ({ ...program, code })),
    ...ownStrange.map((code) => ({ ...made.program, code })),
    ...strange.map((code) => ({ ...program, code })),
    ...unsure.map((name) => ({ ...program, args: withMutated(program.args as ArgumentSet, name) })),
  ];
  if (mutants.length === 0) return true;
  if (mutants.length > MAX_MUTANTS + ownRepeated.length + repeated.length) return false;
  for (const mutant of await unseenOf(run, made, mutants, own)) {
    const name = unsure[mutants.indexOf(mutant) - (mutants.length - unsure.length)];
    if (name === undefined || !(await variesAlike(run, made, program, name, own))) return false;
  }
  return true;
}

/** The programs that do the same as the run in all worlds. Most do something else in one of the first. */
async function unseenOf(
  run: Run,
  made: ReplayableRun,
  mutants: readonly ReplayProgram[],
  own: readonly Transcript[],
): Promise<readonly ReplayProgram[]> {
  let unseen = mutants;
  for (const [from, to] of [
    [0, PROBE_WORLDS],
    [PROBE_WORLDS, own.length],
  ] as const) {
    if (unseen.length === 0) return unseen;
    const transcripts = await replayIn(run, made, unseen, from, to);
    const there = own.slice(from, to);
    unseen = unseen.filter((_, at) => !differs(there, transcripts[at] ?? there, made));
  }
  return unseen;
}

/** Tells whether an argument that makes no difference here makes one elsewhere: the same in both programs. */
async function variesAlike(
  run: Run,
  made: ReplayableRun,
  program: ReplayProgram,
  name: string,
  own: readonly Transcript[],
): Promise<boolean> {
  const [a, b] = [made.lifted.args as ArgumentSet, program.args as ArgumentSet];
  for (const [args, others] of variedTogether(a, b, name)) {
    const [ours = [], theirs = []] = await replayIn(run, made, [
      { ...made.lifted, args },
      { ...program, args: others },
    ]);
    if (ours.length === 0 || differs(ours, theirs, made)) return false;
    if (differs(own, ours, made)) return true;
  }
  return false;
}

function differs(
  a: readonly Transcript[],
  b: readonly Transcript[],
  { reads: { isRead } }: ReplayableRun,
): boolean {
  return a.some((one, at) => sameBehaviour(one, b[at] as Transcript, isRead) === 'different');
}

function withMutated(args: ArgumentSet, name: string): ArgumentSet {
  return { ...args, [name]: mutatedValue(args[name] ?? null) };
}

/** Drops the programs that a few made-up worlds tell from the run. */
async function probe<P extends Guessed>(
  run: Run,
  made: ReplayableRun,
  programs: readonly P[],
): Promise<readonly P[]> {
  if (programs.length <= MAX_FINALISTS) return programs;
  const all = [made.program, ...programs.map(({ program }) => program)];
  const [own = [], ...others] = await replayIn(run, made, all, 1, PROBE_WORLDS);
  return programs.filter((_, at) => others[at] && !differs(own, others[at], made)).slice(0, MAX_FINALISTS);
}

/** Replays programs in some of the worlds, of which the first is the recorded one. Empty if the replay failed. */
async function replayIn(
  run: Run,
  { program, recording, values, reads, toolsUsed, until }: ReplayableRun,
  programs: readonly ReplayProgram[],
  from = 0,
  to?: number,
): Promise<Transcript[][]> {
  const { calls } = recording;
  const wallMs = until - performance.now();
  if (wallMs <= 0) throw new OutOfTime();
  const names = new Set([...calls.map(({ name }) => name), ...toolsUsed]);
  const request = {
    programs,
    worlds: worldsFor({ seed: calls.length, calls, branches: decisionsIn([program.code]) }).slice(from, to),
    calls,
    literals: values.flat().filter((one) => typeof one === 'string' || typeof one === 'number'),
    reads: [...names].filter(reads.isReadOnly),
  };
  const options = { owner: ownerOf(run), signal: run.call.signal };
  const outcome = await run.sandbox.replay(request, { wallMs }, options);
  if ('failed' in outcome) {
    if (performance.now() >= until) throw new OutOfTime();
    return [];
  }
  await reads.look(outcome.flat());
  return outcome;
}
