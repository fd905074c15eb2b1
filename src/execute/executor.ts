import type { NameIndex } from '../access/index.ts';
import { runCodeTask } from '../code/index.ts';
import type { Config } from '../config/index.ts';
import { PmlError } from '../errors.ts';
import type { Log } from '../log.ts';
import { PausableDeadline } from '../pausable-deadline.ts';
import type { Principal } from '../principal.ts';
import type { CachingPatch } from '../registry/caching/index.ts';
import type { Callable, Keys, NameCache } from '../registry/index.ts';
import type { Journal, OutputObserver, Recordings } from '../runs/index.ts';
import { DEFAULT_LIMITS, type Sandbox } from '../sandbox/index.ts';
import type { Redactor } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';
import type { CallContext } from '../upstream/index.ts';
import { answerOf, type ExecuteAnswer } from './acts/answer.ts';
import { assertCacheable, cachingOfCopy } from './acts/cacheable.ts';
import { type ExecuteInput, executeCode } from './acts/execute-code.ts';
import { type MergeAnswer, type MergeInput, mergeCapabilities } from './acts/merge.ts';
import { pointOutUnnamed } from './acts/point-out-unnamed.ts';
import { keepProgram, type ProposedProgram, rehearseProgram } from './acts/rehearse.ts';
import { type UpdateAnswer, type UpdateInput, updateCapability } from './acts/update.ts';
import { type Verification, verifyCapability } from './acts/verify.ts';
import { type Answer, ResultCache } from './cache/result-cache.ts';
import { MAX_NESTED_RUNS, MAX_RESULT_BYTES, ownerOf, type ReadRegistry, type Run } from './run/run.ts';
import { runCapability } from './run/run-code.ts';
import { StartQueue } from './run/start-queue.ts';

/** The principal, the tools it may call, and the way back to its client. */
export interface Caller {
  who: Principal;
  tools: NameIndex;
  call: CallContext;
  /** Answers `pml.lookup(…)` and the like in code. */
  readRegistry?: ReadRegistry;
}

/** The settings of a workspace that apply to its runs. */
export interface RunSettings {
  config: Pick<Config, 'sandbox'>;
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
  outputs: OutputObserver;
  log: Log;
}

/** The default limit for a result. A longer one would fill a model's context; a caller can raise it. */
const DEFAULT_RESULT_BYTES = 1024 * 1024;

/** Runs code that was sent, and code that was remembered. */
export class Executor {
  readonly #dependencies: ExecutorDependencies & { cache: ResultCache };
  readonly #startQueue = new StartQueue();

  constructor(dependencies: ExecutorDependencies) {
    this.#dependencies = { ...dependencies, cache: new ResultCache(dependencies) };
  }

  async execute(input: ExecuteInput, caller: Caller, settings: RunSettings): Promise<ExecuteAnswer> {
    if (input.code !== undefined && input.capability !== undefined) {
      throw new PmlError('bad_request', 'Provide either code or capability, not both');
    }
    const run = this.#newRun(caller, settings, input.options);
    run.redactor.learnGiven(input.args, 'args');
    await this.#startQueue.wait(ownerOf(run));
    if (input.code !== undefined)
      return executeCode(run, input, await runCodeTask('desugarCalls', input.code));
    if (input.capability !== undefined) return this.#executeByName(run, input, input.capability);
    throw new PmlError('bad_request', 'Provide code or capability');
  }

  /** Runs a capability that was called as a tool. */
  async call(capability: Callable, args: unknown, caller: Caller, settings: RunSettings): Promise<Answer> {
    const run = this.#newRun(caller, settings);
    await this.#startQueue.wait(ownerOf(run));
    return runCapability(run, capability, args);
  }

  /** Points out a capability that was called as a tool, is used often and has no name. */
  pointOutUnnamed(capability: Callable, { who }: Pick<Caller, 'who'>): Promise<string[]> {
    return pointOutUnnamed({ db: this.#dependencies.db, who }, capability);
  }

  /** Makes code the next version of a capability. */
  async update(input: UpdateInput, caller: Caller, settings: RunSettings): Promise<UpdateAnswer> {
    const code = await runCodeTask('desugarCalls', input.code);
    return updateCapability(this.#newRun(caller, settings), { ...input, code });
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
  rehearse(program: ProposedProgram, caller: Caller, settings: RunSettings): Promise<string[]> {
    return rehearseProgram(this.#newRun(caller, settings), program);
  }

  /** Remembers a program that was rehearsed. */
  keep(program: ProposedProgram, caller: Caller, settings: RunSettings): Promise<Callable> {
    return keepProgram(this.#newRun(caller, settings), program);
  }

  async #executeByName(run: Run, input: ExecuteInput, name: string): Promise<ExecuteAnswer> {
    const capability = await this.#dependencies.names.resolve(run.who, name);
    const started = performance.now();
    const { value, isCached } = await runCapability(run, capability, input.args);
    const former = capability.deprecatedAlias
      ? [`"${capability.deprecatedAlias}" is a former name of "${capability.name}".`]
      : [];
    const warnings = [...former, ...(await pointOutUnnamed(run, capability))];
    return answerOf('capability', run, value, performance.now() - started, {
      ...{ capability, warnings, isCached },
    });
  }

  #newRun(
    { who, tools, call, readRegistry }: Caller,
    { config, redactor }: RunSettings,
    options: ExecuteInput['options'] = {},
  ): Run {
    const { timeoutMs, memoryMb } = config.sandbox;
    const { timeout = timeoutMs, max_result_bytes: maxResultBytes = DEFAULT_RESULT_BYTES } = options;
    const resultBytes = Math.min(maxResultBytes, MAX_RESULT_BYTES);
    const wallMs = Math.min(timeout, timeoutMs);
    const deadline = new PausableDeadline(wallMs);
    return {
      ...this.#dependencies,
      who,
      tools,
      readRegistry,
      call: pauseWhileAsking(withOwnProgress(call), deadline),
      limits: {
        ...DEFAULT_LIMITS,
        wallMs,
        memoryMb,
        resultBytes: Math.max(DEFAULT_LIMITS.resultBytes, resultBytes),
      },
      deadline,
      // A server may print what it was passed.
      redactor: redactor.fork((texts) => this.#dependencies.log.hideRecent(texts)),
      callChain: [],
      called: new Map(),
      logs: [],
      resultBytes,
      hasLoweredLimits: timeout < timeoutMs || maxResultBytes < DEFAULT_RESULT_BYTES,
      nestedRuns: { remaining: MAX_NESTED_RUNS },
    };
  }
}

/** Pauses the run's deadline while a person or model answers a request of a server. */
function pauseWhileAsking(call: CallContext, deadline: PausableDeadline): CallContext {
  const { ask } = call;
  return ask ? { ...call, ask: (request) => deadline.pauseDuring(() => ask(request)) } : call;
}

/** Numbers the progress of all calls in one sequence: the progress of a request must grow, and a run makes many calls. */
function withOwnProgress(call: CallContext): CallContext {
  const { onprogress } = call;
  if (!onprogress) return call;
  let count = 0;
  return {
    ...call,
    onprogress: ({ progress, total, message }) => {
      count += 1;
      const reached = total === undefined ? `${progress}` : `${progress} of ${total}`;
      onprogress({ progress: count, message: message === undefined ? reached : `${message} / ${reached}` });
    },
  };
}
