import type { NameIndex } from '../access/index.ts';
import type { Config } from '../config/index.ts';
import { PmlError } from '../errors.ts';
import type { Log } from '../log.ts';
import { PausableDeadline } from '../pausable-deadline.ts';
import type { Principal } from '../principal.ts';
import type { Callable, Keys, NameCache } from '../registry/index.ts';
import type { Journal, Recordings } from '../runs/index.ts';
import { DEFAULT_LIMITS, type Sandbox } from '../sandbox/index.ts';
import type { Redactor } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';
import { storedText } from '../texts.ts';
import type { CallContext } from '../upstream/index.ts';
import { answerOf, type ExecuteAnswer } from './answer.ts';
import { type ExecuteInput, executeCode } from './execute-code.ts';
import { type Merged, type MergeInput, mergeCapabilities } from './merge.ts';
import { MAX_NESTED, MAX_RESULT_BYTES, type Run, runCapability, shareOf } from './run.ts';
import { suggestFor } from './suggest.ts';
import { Turns } from './turns.ts';
import { type UpdateAnswer, type UpdateInput, updateCapability } from './update.ts';
import { type Verification, verifyCapability } from './verify.ts';

/** Who asks, what it may reach, and how what belongs to its call finds it. */
export interface Caller {
  who: Principal;
  tools: NameIndex;
  call: CallContext;
}

/** What a workspace says of its runs. */
export interface Settings {
  config: Pick<Config, 'sandbox'>;
  /** Knows the secrets of the config. */
  redactor: Redactor;
}

export interface ExecutorParts {
  db: Db;
  keys: Keys;
  names: NameCache;
  sandbox: Sandbox;
  journal: Journal;
  recordings: Recordings;
  log: Log;
}

/** A longer answer would fill a model's context; whoever wants more says so. */
const RESULT_BYTES = 1024 * 1024;

/** Makes code run: code that was sent, or code that was remembered. */
export class Executor {
  readonly #parts: ExecutorParts;
  readonly #turns = new Turns();

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
  }

  async execute(input: ExecuteInput, caller: Caller, settings: Settings): Promise<ExecuteAnswer> {
    if (input.code !== undefined && input.capability !== undefined) {
      throw new PmlError('bad_request', 'Provide either code or capability, not both');
    }
    const run = this.#runOf(input, caller, settings);
    run.redactor.learn(input.args);
    await this.#turns.wait(shareOf(run));
    if (input.code !== undefined) return executeCode(run, input, input.code);
    if (input.capability !== undefined) return this.#byName(run, input, input.capability);
    const suggestions = await suggestFor(run, storedText('intent', input.intent));
    return { status: 'suggestions', mode: 'suggestion', suggestions };
  }

  /** A capability called as the tool it is. */
  async call(capability: Callable, args: unknown, caller: Caller, settings: Settings): Promise<unknown> {
    const run = this.#runOf({ intent: '' }, caller, settings);
    await this.#turns.wait(shareOf(run));
    return runCapability(run, capability, args);
  }

  /** Makes code the next version of a capability. */
  update(input: UpdateInput, caller: Caller, settings: Settings): Promise<UpdateAnswer> {
    return updateCapability(this.#runOf({ intent: '' }, caller, settings), input);
  }

  /** Tries a capability on the recordings of its runs. */
  verify(name: string, caller: Caller, settings: Settings): Promise<Verification> {
    return verifyCapability(this.#runOf({ intent: '' }, caller, settings), name);
  }

  /** Makes one capability of several. */
  merge(input: MergeInput, caller: Caller, settings: Settings): Promise<Merged> {
    return mergeCapabilities(this.#runOf({ intent: '' }, caller, settings), input);
  }

  async #byName(run: Run, input: ExecuteInput, name: string): Promise<ExecuteAnswer> {
    const capability = await this.#parts.names.resolve(run.who, name);
    const started = performance.now();
    const value = await runCapability(run, capability, input.args);
    const warnings = capability.deprecatedAlias
      ? [`"${capability.deprecatedAlias}" is a former name of "${capability.name}".`]
      : [];
    return answerOf('capability', run, value, performance.now() - started, { capability, warnings });
  }

  #runOf(input: ExecuteInput, { who, tools, call }: Caller, { config, redactor }: Settings): Run {
    const { sandbox: settings } = config;
    const { timeout = settings.timeoutMs, max_result_bytes: wanted = RESULT_BYTES } = input.options ?? {};
    const resultBytes = Math.min(wanted, MAX_RESULT_BYTES);
    const wallMs = Math.min(timeout, settings.timeoutMs);
    const crossing = Math.max(DEFAULT_LIMITS.resultBytes, resultBytes);
    const limits = { ...DEFAULT_LIMITS, wallMs, memoryMb: settings.memoryMb, resultBytes: crossing };
    const patience = new PausableDeadline(wallMs);
    const isTightened = timeout < settings.timeoutMs || wanted < RESULT_BYTES;
    const nested = { left: MAX_NESTED };
    const own = { chain: [], used: new Map(), logs: [], resultBytes, isTightened, nested };
    const asking = pauseWhileAsking(withOwnProgress(call), patience);
    return { ...this.#parts, who, tools, call: asking, limits, patience, redactor: redactor.fork(), ...own };
  }
}

/** The time in which somebody thinks about a question is not the run's. */
function pauseWhileAsking(call: CallContext, patience: PausableDeadline): CallContext {
  const { ask } = call;
  return ask ? { ...call, ask: (question) => patience.pauseDuring(() => ask(question)) } : call;
}

/** The progress of one request must grow, and a run makes many calls: it counts the signs of life of them all. */
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
