import type { Callable } from '../../registry/index.ts';
import type { Run } from '../run/run.ts';
import { type Candidate, findCandidates, guessesFor } from './candidates.ts';
import { firstAlike } from './prove-alike.ts';
import { alikeAsRecorded, inTime, type ReplayableRun } from './replay-programs.ts';
import type { ArgumentSet } from './solve-arguments.ts';

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
  /** The capabilities that it was compared with. Undefined for a run that is replayed alone. */
  readonly compared: readonly Candidate[] | undefined;
  /** The capabilities with the same tools: others came later. */
  readonly seen: readonly Callable[];
  /** True if there was no time to compare them all. */
  readonly isUndecided: boolean;
}

/**
 * Replays what was learned from a run, and finds a capability that, with some arguments, does what the run did: the same calls
 * and the same result against the run's recording and in worlds that vary it. Nothing is really called. `own` is the capability
 * that the run has become, if it has.
 */
export async function replayRun(run: Run, made: ReplayableRun, own?: string): Promise<ReplayVerdict> {
  const found = made.isAlone ? undefined : await findCandidates(run, made);
  const compared = found?.candidates.filter(({ capability }) => capability.fqdn !== own);
  const seen = found?.seen ?? [];
  const guesses = (compared ?? []).flatMap((one) => guessesFor(one, made));
  const lifted = { program: made.lifted };
  const verdict = { isFaithful: undefined, recognised: undefined, compared, seen, isUndecided: false };
  const alike = await inTime(alikeAsRecorded(run, made, [lifted, ...guesses]));
  if (alike === 'late') return { ...verdict, isUndecided: true };
  if (!alike) return verdict;
  const left = guesses.filter((guess) => alike.includes(guess));
  const recognised = await inTime(firstAlike(run, made, left));
  const isFaithful = alike.includes(lifted);
  if (recognised === 'late') return { ...verdict, isFaithful, isUndecided: true };
  return { ...verdict, isFaithful, recognised };
}
