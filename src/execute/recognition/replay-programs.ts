import type { Json } from '../../json.ts';
import type { Recording } from '../../runs/index.ts';
import {
  decisionsIn,
  type ReplayProgram,
  sameBehaviour,
  type Transcript,
  worldsFor,
} from '../../sandbox/index.ts';
import { ownerOf, type Run } from '../run/run.ts';
import type { CallReads } from './call-reads.ts';
import type { ArgumentSet } from './solve-arguments.ts';

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
export interface Guessed {
  readonly program: ReplayProgram;
  readonly args: ArgumentSet;
  /** The arguments for which little speaks. */
  readonly unsure: readonly string[];
}

/** How long an answer waits for all replays of its run together; PML_REPLAY_MS sets another time. */
const WALL_MS = 5000;

/** The replays of a run took too long to tell anything. */
class OutOfTime extends Error {}

/** Waits for what replays show; `late` if they took too long. */
export async function inTime<T>(shown: Promise<T>): Promise<T | 'late'> {
  try {
    return await shown;
  } catch (error) {
    if (error instanceof OutOfTime) return 'late';
    throw error;
  }
}

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
  const [own, ...others] = await replayer(run, made, programs)(all, 0, 1);
  const [recorded] = own ?? [];
  if (recorded?.end !== 'value') return undefined;
  return programs.filter((_, at) => {
    const other = others[at]?.[0];
    return other && sameBehaviour(recorded, other, made.reads.isRead) === 'same';
  });
}

/** Replays programs in some of the worlds, of which the first is the recorded one. The answer is empty if the replay failed. */
export type Replay = (
  programs: readonly ReplayProgram[],
  from?: number,
  to?: number,
) => Promise<Transcript[][]>;

/** Replays programs that are compared with each other: all of them meet the same worlds, which depend on the run and these programs. */
export function replayer(
  run: Run,
  made: ReplayableRun,
  compared: readonly Pick<Guessed, 'program'>[],
): Replay {
  const { program, recording, values, reads, toolsUsed, until } = made;
  const { calls } = recording;
  const worlds = worldsFor({ seed: calls.length, calls, branches: decisionsIn([program.code]) });
  const names = new Set([...calls.map(({ name }) => name), ...toolsUsed]);
  const request = {
    calls,
    readers: [...new Set([program.code, ...compared.map((one) => one.program.code)])],
    literals: values.flat().filter((one) => typeof one === 'string' || typeof one === 'number'),
    reads: [...names].filter(reads.isReadOnly),
  };
  const options = { owner: ownerOf(run), signal: run.call.signal };
  return async (programs, from = 0, to) => {
    const wallMs = until - performance.now();
    if (wallMs <= 0) throw new OutOfTime();
    const all = { ...request, programs, worlds: worlds.slice(from, to) };
    const outcome = await run.sandbox.replay(all, { wallMs }, options);
    if ('failed' in outcome) {
      if (performance.now() >= until) throw new OutOfTime();
      return [];
    }
    await reads.look(outcome.flat());
    return outcome;
  };
}
