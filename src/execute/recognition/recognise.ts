import { runCodeTask } from '../../code/index.ts';
import type { Json, JsonSchema } from '../../json.ts';
import { userOf } from '../../principal.ts';
import type { Callable } from '../../registry/index.ts';
import { findByTools } from '../../registry/procedures/index.ts';
import type { Recording } from '../../runs/index.ts';
import {
  compareAll,
  type ReplayProgram,
  sameBehaviour,
  type Transcript,
  worldsFor,
} from '../../sandbox/index.ts';
import { argumentsFor } from '../arguments/validate-arguments.ts';
import { ownerOf, type Run } from '../run/run.ts';
import { type ArgumentSet, argumentSets } from './solve-arguments.ts';

/** A successful run, as far as a replay needs it. */
export interface ReplayableRun {
  /** The program that ran, as JavaScript. */
  readonly program: ReplayProgram;
  readonly recording: Recording;
  /** The literals of its code. */
  readonly values: readonly Json[];
  readonly toolsUsed: readonly string[];
  readonly isRead: (name: string) => boolean;
}

/** The code that a run leaves, and the arguments with which it does what the run did. */
export interface LearnedProgram {
  readonly code: string;
  readonly parametersSchema: JsonSchema;
  readonly args: ArgumentSet;
}

/** A capability that does what a run did. */
export interface Recognised {
  readonly capability: Callable;
  /** The arguments with which it does. */
  readonly args: ArgumentSet;
}

/** What the replay of a run showed. */
export interface ReplayVerdict {
  /** True if the learned code does what the run did; undefined if the run itself cannot be replayed. */
  readonly isFaithful: boolean | undefined;
  readonly recognised: Recognised | undefined;
  /** The capabilities that it was compared with: others came later. */
  readonly compared: readonly Callable[];
}

/** A capability with arguments that may be those of the run. */
interface Guess extends Recognised {
  readonly program: ReplayProgram;
}

/** How many capabilities are compared, with how many sets of arguments each, and how many in made-up worlds. */
const MAX_CANDIDATES = 6;
const MAX_SETS = 6;
const MAX_FINALISTS = 2;
/** What takes longer is no evidence: the run is answered as new. */
const WALL_MS = 400;

/**
 * Replays what was learned from a run, and finds a capability that, with some arguments, does what the run did: the same calls
 * and the same result against the run's recording and in worlds that vary it. Nothing is really called.
 */
export async function replayRun(
  run: Run,
  made: ReplayableRun,
  learned: LearnedProgram,
): Promise<ReplayVerdict> {
  const candidates = await findByTools(run.db, userOf(run.who), made.toolsUsed, MAX_CANDIDATES);
  const guesses = (
    await Promise.all(candidates.map((one) => guessesFor(run, one, made, learned.args)))
  ).flat();
  const lifted = { code: await bodyOf(learned.code), args: learned.args };
  const programs = [made.program, lifted, ...guesses.map(({ program }) => program)];
  const [own, checked, ...others] = await replayIn(run, made, programs, 'recorded');
  const [recorded] = own ?? [];
  if (recorded?.end !== 'value')
    return { isFaithful: undefined, recognised: undefined, compared: candidates };
  const isAlike = (one: Transcript[] | undefined) =>
    one?.[0] !== undefined && sameBehaviour(recorded, one[0], made.isRead) === 'same';
  const alike = guesses.filter((_, at) => isAlike(others[at]));
  const recognised = await firstAlike(run, made, alike.slice(0, MAX_FINALISTS));
  return { isFaithful: isAlike(checked), recognised, compared: candidates };
}

/** The first guess that also does the same in made-up worlds. */
async function firstAlike(
  run: Run,
  made: ReplayableRun,
  guesses: readonly Guess[],
): Promise<Recognised | undefined> {
  if (guesses.length === 0) return undefined;
  const programs = [made.program, ...guesses.map(({ program }) => program)];
  const [own = [], ...others] = await replayIn(run, made, programs, 'all');
  const at = others.findIndex((other) => compareAll(own, other, made.isRead));
  return guesses[at];
}

async function guessesFor(
  run: Run,
  capability: Callable,
  made: ReplayableRun,
  own: ArgumentSet,
): Promise<Guess[]> {
  const recordings = capability.createdBy === run.who.user ? await run.recordings.of(capability) : [];
  const code = await bodyOf(capability.code);
  const known = { parametersSchema: capability.parametersSchema, recordings };
  const solved = { calls: made.recording.calls, args: own, values: made.values };
  return argumentSets(known, solved, MAX_SETS).flatMap((args) => {
    const filled = fillArguments(capability, args);
    return filled ? [{ capability, args, program: { code, args: filled } }] : [];
  });
}

/** The arguments with the defaults of the others; undefined if the capability does not take them. */
function fillArguments(capability: Callable, args: ArgumentSet): unknown {
  try {
    return argumentsFor(capability, args);
  } catch {
    return undefined;
  }
}

async function bodyOf(source: string): Promise<string> {
  const { before, code, after } = await runCodeTask('functionBody', source);
  return before + code + after;
}

/** Replays programs in the recorded world alone, or in all. Empty if the replay failed. */
async function replayIn(
  run: Run,
  { recording, values, isRead, toolsUsed }: ReplayableRun,
  programs: readonly ReplayProgram[],
  which: 'recorded' | 'all',
): Promise<Transcript[][]> {
  const { calls } = recording;
  const worlds = worldsFor({ seed: calls.length, calls });
  const names = new Set([...calls.map(({ name }) => name), ...toolsUsed]);
  const request = {
    programs,
    worlds: which === 'all' ? worlds : worlds.slice(0, 1),
    calls,
    literals: values.flat().filter((one) => typeof one === 'string' || typeof one === 'number'),
    reads: [...names].filter(isRead),
  };
  const options = { owner: ownerOf(run), signal: run.call.signal };
  const outcome = await run.sandbox.replay(request, { wallMs: WALL_MS }, options);
  return 'failed' in outcome ? [] : outcome;
}
