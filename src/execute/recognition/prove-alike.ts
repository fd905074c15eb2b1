import { mutatedValue, runCodeTask } from '../../code/index.ts';
import { compareAll, type ReplayProgram, sameBehaviour, type Transcript } from '../../sandbox/index.ts';
import type { Run } from '../run/run.ts';
import { type Guessed, type Replay, type ReplayableRun, replayer } from './replay-programs.ts';
import type { ArgumentSet } from './solve-arguments.ts';
import { variedTogether } from './vary-together.ts';

/** How many programs go through some of the made-up worlds, and how many through all. */
const MAX_PROBED = 10;
const MAX_FINALISTS = 2;
/** The recorded world and the most telling made-up ones: enough to drop most wrong arguments. */
const PROBE_WORLDS = 5;

/** What the run did in all worlds, and how to replay other programs in the same ones. */
interface Shown {
  readonly made: ReplayableRun;
  readonly replay: Replay;
  readonly own: readonly Transcript[];
}

/** Finds the first program that also does in made-up worlds what the run did. */
export async function firstAlike<P extends Guessed>(
  run: Run,
  made: ReplayableRun,
  programs: readonly P[],
): Promise<P | undefined> {
  const probed = programs.slice(0, MAX_PROBED);
  const replay = replayer(run, made, probed);
  const finalists = await probe(made, replay, probed);
  if (finalists.length === 0) return undefined;
  const all = [made.program, ...finalists.map(({ program }) => program)];
  const [own = [], ...others] = await replay(all);
  for (const [at, finalist] of finalists.entries()) {
    const other = others[at];
    if (!other || !compareAll(own, other, made.reads.isRead)) continue;
    const shown = { made, replay, own };
    if ((await reachesAllTools(shown, finalist)) && (await isProven(shown, finalist))) return finalist;
  }
  return undefined;
}

/**
 * Tells whether each tool was called in some world, by both programs alike. Guards such as `if (!dryRun)` keep the run's own
 * arguments from some of them, so other arguments are tried, too.
 */
async function reachesAllTools({ made, replay, own }: Shown, { program }: Guessed): Promise<boolean> {
  const missing = new Set(made.toolsUsed);
  const note = (transcripts: readonly Transcript[]) => {
    for (const { calls } of transcripts) for (const { name } of calls) missing.delete(name);
  };
  note(own);
  if (missing.size === 0) return true;
  for (const [args, others] of variedTogether(made.lifted.args as ArgumentSet, program.args as ArgumentSet)) {
    const [ours = [], theirs = []] = await replay([
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
async function isProven(shown: Shown, { program, args, unsure }: Guessed): Promise<boolean> {
  const { made } = shown;
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
  for (const mutant of await unseenOf(shown, mutants)) {
    const name = unsure[mutants.indexOf(mutant) - (mutants.length - unsure.length)];
    if (name === undefined || !(await variesAlike(shown, program, name))) return false;
  }
  return true;
}

/** The programs that do the same as the run in all worlds. Most do something else in one of the first. */
async function unseenOf(
  { made, replay, own }: Shown,
  mutants: readonly ReplayProgram[],
): Promise<readonly ReplayProgram[]> {
  let unseen = mutants;
  for (const [from, to] of [
    [0, PROBE_WORLDS],
    [PROBE_WORLDS, own.length],
  ] as const) {
    if (unseen.length === 0) return unseen;
    const transcripts = await replay(unseen, from, to);
    const there = own.slice(from, to);
    unseen = unseen.filter((_, at) => !differs(there, transcripts[at] ?? there, made));
  }
  return unseen;
}

/** Tells whether an argument that makes no difference here makes one elsewhere: the same in both programs. */
async function variesAlike(
  { made, replay, own }: Shown,
  program: ReplayProgram,
  name: string,
): Promise<boolean> {
  const [a, b] = [made.lifted.args as ArgumentSet, program.args as ArgumentSet];
  for (const [args, others] of variedTogether(a, b, name)) {
    const [ours = [], theirs = []] = await replay([
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
  made: ReplayableRun,
  replay: Replay,
  programs: readonly P[],
): Promise<readonly P[]> {
  if (programs.length <= MAX_FINALISTS) return programs;
  const all = [made.program, ...programs.map(({ program }) => program)];
  const [own = [], ...others] = await replay(all, 1, PROBE_WORLDS);
  return programs.filter((_, at) => others[at] && !differs(own, others[at], made)).slice(0, MAX_FINALISTS);
}
