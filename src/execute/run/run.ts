import type { Log } from '../../log.ts';
import type { PausableDeadline } from '../../pausable-deadline.ts';
import type { Callable, Keys } from '../../registry/index.ts';
import type { VerdictCache } from '../../registry/procedures/index.ts';
import type { Journal, OutputObserver, Recordings, RunDetails, RunPlace } from '../../runs/index.ts';
import type { Limits, LogLine, RegistryRead, RunOwner, Sandbox } from '../../sandbox/index.ts';
import type { Redactor } from '../../secrets/index.ts';
import type { CallContext } from '../../upstream/index.ts';
import type { DependencyLog } from '../cache/dependency-log.ts';
import type { ResultCache } from '../cache/result-cache.ts';
import type { CallInterceptor } from '../recording/call-interceptor.ts';
import type { KeptResults } from '../results/kept-results.ts';
import type { Afterwards } from './afterwards.ts';
import type { FairTurns } from './fair-turns.ts';
import type { ResolveContext, ResolvedName } from './resolve-names.ts';
import type { RunProgress } from './run-progress.ts';
import type { UseCounts } from './use-counts.ts';

/** How deep capabilities may call each other. */
export const MAX_DEPTH = 8;
/** How many runs of capabilities one run may cause, at all depths together. */
export const MAX_NESTED_RUNS = 1_000;
/** How much of a result is answered by default. More would fill a model's context; a caller can raise it. */
export const DEFAULT_RESULT_BYTES = 50_000;
/**
 * The highest limit that a caller can set for its result. An answer holds the result twice, the second time with its
 * quotes escaped, and clients on stdio close the connection at a line of 10 MiB.
 */
export const MAX_RESULT_BYTES = 3_000_000;
export const CAPABILITY_SERVER = 'pml-capabilities';

/** Reads the registry as the caller's own tools do: the same answers, limits and visibility. */
export type ReadRegistry = (read: RegistryRead, input: unknown) => Promise<unknown>;

/** One run and everything that travels with it into the runs it causes. */
export interface Run extends ResolveContext {
  readonly keys: Keys;
  readonly sandbox: Sandbox;
  readonly journal: Journal;
  readonly recordings: Recordings;
  readonly details: RunDetails;
  /** Where the journal puts the calls of this run. */
  readonly place: RunPlace;
  readonly outputs: OutputObserver;
  readonly cache: ResultCache;
  /** The verdicts of earlier runs on the parameters of tools. */
  readonly verdicts: VerdictCache;
  readonly uses: UseCounts;
  /** Does work for which the answer does not wait. */
  readonly afterwards: Afterwards;
  /** Remembering a run takes turns here. */
  readonly learning: FairTurns;
  /** Results that are too large to be answered. */
  readonly kept: KeptResults;
  /** Settles once the code is known to match the stored row, and never if it does not. Until then it has no effect. */
  readonly confirmed?: Promise<void> | undefined;
  /** Collects what the result depends on, within a run whose result is cached. */
  readonly dependencies?: DependencyLog | undefined;
  /** Hides the secrets of the config and those that pass through the run. */
  readonly redactor: Redactor;
  /** Records the calls of this run, or answers them from a recording. */
  readonly interceptor?: CallInterceptor | undefined;
  /** Absent where nobody asked for the run. */
  readonly readRegistry?: ReadRegistry | undefined;
  readonly log: Log;
  /** How the names of tools are spelt in the client's list. */
  readonly listedNames: 'mcp' | 'short';
  readonly call: CallContext;
  /** Tells the client of the calls. Absent if it did not ask for progress, and in a replay. */
  readonly progress?: RunProgress | undefined;
  readonly limits: Limits;
  /** Shared by the outermost run and everything it calls. */
  readonly deadline: PausableDeadline;
  /** The longest time that a caller can ask for, in milliseconds. */
  readonly longestMs: number;
  /** How many runs of capabilities the outermost run may still cause. */
  readonly nestedRuns: { remaining: number };
  /** The capabilities that are running, outermost first. */
  readonly callChain: readonly Callable[];
  /** The tools and capabilities that were called, by canonical name, in order. */
  readonly called: Map<string, ResolvedName>;
  /** The console output. A nested run has its own, else an answer would hold the logs of them all. */
  readonly logs: LogLine[];
  /** Receives each line of the console. Absent in a nested run, and if the client did not ask for log messages. */
  readonly onLog?: ((line: LogLine) => void) | undefined;
  /** Warnings about the result for the caller. A nested run has its own. */
  readonly notes: string[];
  /** How often code read a kept result, at all depths together. Code that does so is not remembered. */
  readonly resultReads: { count: number };
  /** How much of the result goes back to the caller. `limits` bounds results that stay between runs. */
  readonly resultBytes: number;
  /** The caller allowed less time than the settings do. */
  readonly hasLoweredLimits: boolean;
}

/** Users share the sandbox, whichever project they are in; the sessions of a user share the user's part. */
export function ownerOf({ who, call }: Run): RunOwner {
  return { principal: JSON.stringify([who.org, who.user]), session: call.session };
}

/** Whoever may replay a recording sees its contents, so only the creator's own runs are recorded. */
export function mayRecord({ who, recordings }: Run, capability: Callable): boolean {
  return capability.createdBy === who.user && recordings.wants(capability);
}

/** True if the run called a server that only its agent has: others must not learn what its result looks like. */
export function usedOwnServer({ called }: Run): boolean {
  return [...called.values()].some(
    (one) => one.kind === 'tool' && one.entry.upstream.server.ofAgent === true,
  );
}
