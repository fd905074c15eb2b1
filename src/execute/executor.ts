import type { NameIndex } from '../access/index.ts';
import type { Config } from '../config/index.ts';
import { PmlError } from '../errors.ts';
import type { Log } from '../log.ts';
import { PausableDeadline } from '../pausable-deadline.ts';
import type { Principal } from '../principal.ts';
import type { CachingPatch } from '../registry/caching/index.ts';
import type { Callable, Keys, NameCache } from '../registry/index.ts';
import { versionWarnings } from '../registry/names/index.ts';
import { VerdictCache } from '../registry/procedures/index.ts';
import { type Journal, type OutputObserver, type Recordings, type RunDetails, rowId } from '../runs/index.ts';
import { DEFAULT_LIMITS, type Sandbox } from '../sandbox/index.ts';
import type { Redactor } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';
import type { CallContext } from '../upstream/index.ts';
import { answerOf, type Executed } from './acts/answer.ts';
import { assertCacheable, cachingOfCopy } from './acts/cacheable.ts';
import { type ExecuteInput, executeCode } from './acts/execute-code.ts';
import { type MergeAnswer, type MergeInput, mergeCapabilities } from './acts/merge.ts';
import { pointOutUnnamed } from './acts/point-out-unnamed.ts';
import { type Presented, presentResult } from './acts/present-result.ts';
import { keepProgram, type ProposedProgram, replayProposal } from './acts/replay-proposal.ts';
import { runForClient } from './acts/run-for-client.ts';
import { type UpdateAnswer, type UpdateInput, updateCapability } from './acts/update.ts';
import { type Verification, verifyCapability } from './acts/verify.ts';
import { ResultCache } from './cache/result-cache.ts';
import { acceptCode } from './calls/accept-code.ts';
import { withSuggestion } from './calls/resolve-calls.ts';
import { KeptResults } from './results/kept-results.ts';
import { Afterwards } from './run/afterwards.ts';
import { FairTurns } from './run/fair-turns.ts';
import {
  DEFAULT_RESULT_BYTES,
  MAX_NESTED_RUNS,
  MAX_RESULT_BYTES,
  ownerOf,
  type ReadRegistry,
  type Run,
} from './run/run.ts';
import { RunProgress } from './run/run-progress.ts';
import { StartQueue } from './run/start-queue.ts';
import { UseCounts } from './run/use-counts.ts';

/** The principal, the tools it may call, and the way back to its client. */
export interface Caller {
  who: Principal;
  tools: NameIndex;
  call: CallContext;
  /** Returns why a tool cannot be found, if that is because its server is not available. */
  whyMissing?: Run['whyMissing'];
  /** Answers `pml.lookup(…)` and the like in code. */
  readRegistry?: ReadRegistry;
  /** The id that its next run is to have. */
  runId?: string | undefined;
}

/** The settings of a workspace that apply to its runs. */
export interface RunSettings {
  config: Pick<Config, 'sandbox' | 'names'>;
  /** Knows the secrets of the config. */
  redactor: Redactor;
}

export interface ExecutorDependencies {
  db: Db;
  keys: Keys;
  names: NameCache;
  sandbox: Sandbox;
  journal: Journal;
  recordings: Recordings;
  details: RunDetails;
  outputs: OutputObserver;
  log: Log;
}

/**
 * How many runs are remembered at a time. Each takes several statements and replays; together they leave connections and
 * processes to everybody's short reads.
 */
const LEARNING = { each: 4, all: 8 };

/** Runs code that was sent, and code that was remembered. */
export class Executor {
  readonly #dependencies: ExecutorDependencies &
    Pick<Run, 'cache' | 'kept' | 'verdicts' | 'uses' | 'afterwards' | 'learning'>;
  readonly #startQueue = new StartQueue();

  constructor(dependencies: ExecutorDependencies) {
    const { db } = dependencies;
    this.#dependencies = {
      ...dependencies,
      cache: new ResultCache(dependencies),
      kept: new KeptResults(),
      verdicts: new VerdictCache(db),
      uses: new UseCounts(db),
      afterwards: new Afterwards(dependencies.log),
      learning: new FairTurns(LEARNING),
    };
  }

  /** Ends what is done after answers. */
  close(): Promise<void> {
    return this.#dependencies.afterwards.close();
  }

  async execute(input: ExecuteInput, caller: Caller, settings: RunSettings): Promise<Executed> {
    if (input.code !== undefined && input.capability !== undefined) {
      throw new PmlError('bad_request', 'Provide either code or capability, not both');
    }
    const run = this.#newRun(caller, settings, input.options);
    run.redactor.learnGiven(input.args, 'args');
    await this.#startQueue.wait(ownerOf(run));
    if (input.code !== undefined) return executeCode(run, input, await acceptCode(run, input.code));
    if (input.capability !== undefined) return this.#executeByName(run, input, input.capability);
    throw new PmlError('bad_request', 'Provide code or capability');
  }

  /** Runs a capability that was called as a tool. */
  async call(
    capability: Callable,
    args: unknown,
    caller: Caller,
    settings: RunSettings,
  ): Promise<Presented & { isCached: boolean }> {
    const run = this.#newRun(caller, settings);
    await this.#startQueue.wait(ownerOf(run));
    run.notes.push(...versionWarnings(capability));
    const answer = await runForClient(run, capability, args);
    return { ...presentResult(run, answer), isCached: answer.isCached };
  }

  /** Points out a capability that was called as a tool, is used often and has no name. */
  pointOutUnnamed(capability: Callable, { who }: Pick<Caller, 'who'>): Promise<string[]> {
    return pointOutUnnamed({ uses: this.#dependencies.uses, who }, capability);
  }

  /** Makes code the next version of a capability. */
  async update(input: UpdateInput, caller: Caller, settings: RunSettings): Promise<UpdateAnswer> {
    const run = this.#newRun(caller, settings);
    return updateCapability(run, input, await acceptCode(run, input.code));
  }

  /** Fails if a capability must not be cached as the patch says. */
  assertCacheable(name: string, caching: CachingPatch, { who, tools }: Caller): Promise<void> {
    return assertCacheable({ db: this.#dependencies.db, who, tools }, name, caching);
  }

  /** The caching that a copy takes over: that of its source, unless it was forced or does not suit the tools here. */
  cachingOfCopy(source: Callable, copy: Callable, { who, tools }: Caller): Promise<CachingPatch | undefined> {
    return cachingOfCopy({ db: this.#dependencies.db, who, tools }, source, copy);
  }

  /** Replays the recorded runs of a capability. */
  verify(name: string, caller: Caller, settings: RunSettings): Promise<Verification> {
    return verifyCapability(this.#newRun(caller, settings), name);
  }

  /** Makes one capability of several. */
  merge(input: MergeInput, caller: Caller, settings: RunSettings): Promise<MergeAnswer> {
    return mergeCapabilities(this.#newRun(caller, settings), input);
  }

  /** Replays a program that nobody has run yet, and says how it differs from what it must do. */
  replayProposal(program: ProposedProgram, caller: Caller, settings: RunSettings): Promise<string[]> {
    return replayProposal(this.#newRun(caller, settings), program);
  }

  /** Remembers a program that was replayed. */
  keep(program: ProposedProgram, caller: Caller, settings: RunSettings): Promise<Callable> {
    return keepProgram(this.#newRun(caller, settings), program);
  }

  async #executeByName(run: Run, input: ExecuteInput, name: string): Promise<Executed> {
    const capability = await this.#dependencies.names.resolve(run.who, name).catch(async (error) => {
      throw await withSuggestion(run, name, error);
    });
    run.notes.push(...versionWarnings(capability));
    const started = performance.now();
    const finished = await runForClient(run, capability, input.args, input.intent);
    const ms = performance.now() - started;
    const former = capability.deprecatedAlias
      ? [`"${capability.deprecatedAlias}" is a former name of "${capability.name}".`]
      : [];
    const warnings = [...former, ...(await pointOutUnnamed(run, capability))];
    const details = { capability, warnings, isCached: finished.isCached };
    return answerOf('capability', run, presentResult(run, finished), ms, details);
  }

  #newRun(
    { who, tools, call, whyMissing, readRegistry, runId = rowId() }: Caller,
    { config, redactor }: RunSettings,
    options: ExecuteInput['options'] = {},
  ): Run {
    const { timeoutMs, memoryMb } = config.sandbox;
    const { timeout = timeoutMs, max_result_bytes: maxResultBytes = DEFAULT_RESULT_BYTES } = options;
    const wallMs = Math.min(timeout, timeoutMs);
    const deadline = new PausableDeadline(wallMs);
    return {
      ...this.#dependencies,
      listedNames: config.names.listed,
      who,
      tools,
      place: { id: runId, depth: 0 },
      whyMissing,
      readRegistry,
      call: pauseWhileAsking(call, deadline),
      progress: call.onprogress && new RunProgress(call.onprogress),
      onLog: sendLines(call),
      limits: {
        ...DEFAULT_LIMITS,
        wallMs,
        memoryMb,
      },
      deadline,
      longestMs: timeoutMs,
      // A server may print what it was passed.
      redactor: redactor.fork((texts) => this.#dependencies.log.hideRecent(texts)),
      callChain: [],
      called: new Map(),
      logs: [],
      notes: [],
      resultReads: { count: 0 },
      resultBytes: Math.min(maxResultBytes, MAX_RESULT_BYTES),
      hasLoweredLimits: timeout < timeoutMs,
      nestedRuns: { remaining: MAX_NESTED_RUNS },
    };
  }
}

/** Pauses the run's deadline while a person or model answers a request of a server. */
function pauseWhileAsking(call: CallContext, deadline: PausableDeadline): CallContext {
  const { ask } = call;
  return ask ? { ...call, ask: (request) => deadline.pauseDuring(() => ask(request)) } : call;
}

/** The level of a log message for each method of the console. */
const LOG_LEVELS = { log: 'info', info: 'info', warn: 'warning', error: 'error', debug: 'debug' } as const;

/** Sends console lines as log messages, if the client asked for these. */
function sendLines({ log }: CallContext): Run['onLog'] {
  return log && (({ level, text }) => log(LOG_LEVELS[level], text));
}
