import type { Shelf } from '../access/index.ts';
import { type Json, type Program, parse } from '../code/index.ts';
import type { Config } from '../config/index.ts';
import { messageOf, PmlError } from '../errors.ts';
import type { Log } from '../log.ts';
import { Patience } from '../patience.ts';
import type { Principal } from '../principal.ts';
import {
  assertNameFree,
  assertValidName,
  type Callable,
  find,
  type Keys,
  type KnownNames,
  type Remembered,
  remember,
} from '../registry/index.ts';
import type { Journal, Recordings } from '../runs/index.ts';
import { DEFAULT_LIMITS, type LogLine, type Sandbox } from '../sandbox/index.ts';
import type { Db } from '../store/index.ts';
import type { CallContext } from '../upstream/index.ts';
import { learn } from './learn.ts';
import { type Merged, type MergeInput, mergeCapabilities } from './merge.ts';
import { CAPABILITY_SERVER, failureOf, mayRecord, type Run, runCapability, runCode } from './run.ts';
import { type Suggestion, suggestFor } from './suggest.ts';
import { Recorder } from './tape.ts';
import { resolveStatic, shownName, type Target } from './targets.ts';
import { warnOfTwins } from './twins.ts';
import { type UpdateAnswer, type UpdateInput, updateCapability } from './update.ts';
import { type Verification, verifyCapability } from './verify.ts';

export interface ExecuteInput {
  intent: string;
  code?: string | undefined;
  capability?: string | undefined;
  args?: Record<string, unknown> | undefined;
  name?: string | undefined;
  options?: { timeout?: number; remember?: boolean; max_result_bytes?: number } | undefined;
}

export type ExecuteAnswer =
  | {
      status: 'success';
      mode: 'direct' | 'capability';
      result: unknown;
      capabilityId?: string;
      capabilityName?: string;
      capabilityFqdn?: string;
      toolsUsed: string[];
      executionTimeMs: number;
      logs?: LogLine[];
      warnings?: string[];
    }
  | { status: 'suggestions'; mode: 'suggestion'; suggestions: Suggestion[] };

/** Who asks, what it may reach, and how what belongs to its call finds it. */
export interface Caller {
  who: Principal;
  tools: Shelf;
  call: CallContext;
}

/** What a workspace's config says of its runs. */
export type Settings = Pick<Config, 'sandbox' | 'secrets'>;

export interface ExecutorParts {
  db: Db;
  keys: Keys;
  names: KnownNames;
  sandbox: Sandbox;
  journal: Journal;
  recordings: Recordings;
  log: Log;
}

/** What is left of a run: the capability, unless the code is not to be remembered. */
type Kept = { capability?: Callable } & Pick<Remembered, 'warnings'> & {
    lifted?: Readonly<Record<string, Json>>;
  };

/** A longer answer would fill a model's context; whoever wants more says so. */
const RESULT_BYTES = 1024 * 1024;

/** Makes code run: code that was sent, or code that was remembered. */
export class Executor {
  readonly #parts: ExecutorParts;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
  }

  async execute(input: ExecuteInput, caller: Caller, settings: Settings): Promise<ExecuteAnswer> {
    if (input.code !== undefined && input.capability !== undefined) {
      throw new PmlError('bad_request', 'Provide either code or capability, not both');
    }
    const run = this.#runOf(input, caller, settings);
    if (input.code !== undefined) return this.#direct(run, input, input.code);
    if (input.capability !== undefined) return this.#byName(run, input, input.capability);
    const suggestions = await suggestFor(run, input.intent);
    return { status: 'suggestions', mode: 'suggestion', suggestions };
  }

  /** A capability called as the tool it is. */
  call(capability: Callable, args: unknown, caller: Caller, settings: Settings): Promise<unknown> {
    return runCapability(this.#runOf({ intent: '' }, caller, settings), capability, args);
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

  async #direct(run: Run, input: ExecuteInput, code: string): Promise<ExecuteAnswer> {
    const { journal } = this.#parts;
    const program = parse(code);
    const targets = await resolveStatic(run, program);
    // Asked before the code runs: a name that is taken must not cost the side effects of a run.
    if (input.name !== undefined) await this.#assertNameable(run, input.name, program, targets);
    const started = performance.now();
    const tape = input.options?.remember === false ? undefined : new Recorder();
    const outcome = await runCode({ ...run, tape }, code, input.args ?? {}, targets);
    const durationMs = performance.now() - started;
    if (!outcome.ok) {
      const failure = failureOf(outcome);
      journal.record({
        server: 'pml',
        tool: 'pml_execute',
        who: run.who,
        success: false,
        durationMs,
        error: failure.message,
      });
      throw failure;
    }
    const remembered = await this.#remember(run, input, program, targets);
    const { capability, lifted } = remembered;
    if (tape && capability && mayRecord(run, capability)) {
      const made = tape.recording({ ...lifted, ...input.args }, outcome.value);
      if (made) await run.recordings.keep(capability, made, run.secrets);
    }
    journal.record({
      server: capability ? CAPABILITY_SERVER : 'pml',
      tool: capability?.name ?? 'pml_execute',
      fqdn: capability?.fqdn,
      who: run.who,
      success: true,
      durationMs,
    });
    return this.#answer('direct', run, outcome.value, durationMs, remembered);
  }

  async #remember(
    run: Run,
    { intent, name, args, options }: ExecuteInput,
    program: Program,
    targets: ReadonlyMap<string, Target>,
  ): Promise<Kept> {
    if (options?.remember === false) return { warnings: [] };
    // The run has had its effects: whatever becomes of its memory, its result must reach the caller.
    try {
      const learned = learn(program, targets, run.used.values(), {
        intent,
        name,
        args,
        secrets: run.secrets,
      });
      if (!('unsafe' in learned)) {
        const kept = await remember(this.#parts, run.who, learned);
        const twins = kept.created ? await warnOfTwins(run, kept.capability, learned) : [];
        return { ...kept, warnings: [...kept.warnings, ...twins], lifted: learned.lifted };
      }
      return { warnings: [`This code was not remembered. ${learned.unsafe}: take it from args instead.`] };
    } catch (error) {
      if (!(error instanceof PmlError))
        this.#parts.log.error(`a run is not remembered: ${(error as Error).stack}`);
      return { warnings: [`This code was not remembered: ${messageOf(error)}`] };
    }
  }

  async #byName(run: Run, input: ExecuteInput, name: string): Promise<ExecuteAnswer> {
    const capability = await this.#parts.names.resolve(run.who, name);
    const started = performance.now();
    const value = await runCapability(run, capability, input.args);
    const warnings = capability.deprecatedAlias
      ? [`"${capability.deprecatedAlias}" is a former name of "${capability.name}".`]
      : [];
    return this.#answer('capability', run, value, performance.now() - started, { capability, warnings });
  }

  async #assertNameable(
    run: Run,
    name: string,
    program: Program,
    targets: ReadonlyMap<string, Target>,
  ): Promise<void> {
    assertValidName(name);
    // An agent that repeats itself gives the same code the same name: that is no collision.
    const owner = await find(this.#parts.db, run.who, name);
    if (owner?.name === name) {
      const learned = learn(program, targets, [], { intent: '', name, secrets: run.secrets });
      if ('codeHash' in learned && learned.codeHash === owner.codeHash) return;
    }
    await assertNameFree(this.#parts.db, run.who, name);
    run.tools.refuse(name);
  }

  #answer(
    mode: 'direct' | 'capability',
    run: Run,
    result: unknown,
    ms: number,
    { capability, warnings }: Kept,
  ): ExecuteAnswer {
    const { logs } = run;
    return {
      status: 'success',
      mode,
      result: result === undefined ? null : result,
      ...(capability && {
        capabilityId: capability.id,
        capabilityName: capability.name,
        capabilityFqdn: capability.fqdn,
      }),
      toolsUsed: [...run.used.values()].map(shownName),
      executionTimeMs: Math.round(ms * 100) / 100,
      ...(logs.length > 0 && { logs }),
      ...(warnings.length > 0 && { warnings }),
    };
  }

  #runOf(input: ExecuteInput, { who, tools, call }: Caller, { sandbox: settings, secrets }: Settings): Run {
    const { timeout = settings.timeoutMs, max_result_bytes: resultBytes = RESULT_BYTES } =
      input.options ?? {};
    const wallMs = Math.min(timeout, settings.timeoutMs);
    const crossing = Math.max(DEFAULT_LIMITS.resultBytes, resultBytes);
    const limits = { ...DEFAULT_LIMITS, wallMs, memoryMb: settings.memoryMb, resultBytes: crossing };
    const patience = new Patience(wallMs);
    const own = { chain: [], used: new Map(), logs: [], resultBytes };
    const asking = withoutHaste(withOwnProgress(call), patience);
    return { ...this.#parts, who, tools, call: asking, limits, patience, secrets, ...own };
  }
}

/** The time in which somebody thinks about a question is not the run's. */
function withoutHaste(call: CallContext, patience: Patience): CallContext {
  const { ask } = call;
  return ask ? { ...call, ask: (question) => patience.during(() => ask(question)) } : call;
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
