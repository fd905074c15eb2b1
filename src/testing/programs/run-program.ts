import { parse, toFunctionBody } from '../../code/testing.ts';
import { hash32 } from './choices.ts';
import { showValue } from './show-value.ts';

/** A call that a program made. Times count the starts and ends of calls. */
export interface ProgramCall {
  /** `server:tool`. */
  readonly name: string;
  /** The arguments at the time of the call. */
  readonly args: unknown;
  /** The name, the arguments and how many calls were the same before: finds the same call in another run. */
  readonly key: string;
  readonly startedAt: number;
  endedAt: number;
  result?: unknown;
  failed: boolean;
}

export type ProgramOutcome =
  | { readonly kind: 'returned'; readonly text: string }
  | { readonly kind: 'threw'; readonly text: string }
  | { readonly kind: 'hung' | 'too many calls' | 'refused'; readonly text: string };

export interface ProgramRun {
  readonly calls: readonly ProgramCall[];
  readonly outcome: ProgramOutcome;
}

export type Answer = { readonly value: unknown } | { readonly error: string };

export interface RunConditions {
  readonly args?: Readonly<Record<string, unknown>>;
  /** Answers a call; `occurrence` counts the calls that were the same. */
  readonly answer: (call: { name: string; args: unknown; occurrence: number }) => Answer;
  /** Which of the calls under way ends first: the oldest, the newest, or one drawn by a seed. */
  readonly schedule?: 'oldest' | 'newest' | number;
}

interface Pending {
  readonly call: ProgramCall;
  readonly rank: number;
  readonly end: () => void;
}

const MAX_CALLS = 80;
const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
const GLOBALS = ['mcp', 'args', 'console', 'setTimeout', 'Date', 'Math'] as const;

/** Runs a program, TypeScript or JavaScript, against tools that are answered here. Never rejects. */
export async function runProgram(source: string, conditions: RunConditions): Promise<ProgramRun> {
  const world = new World(conditions);
  let run: () => Promise<unknown>;
  try {
    const { before, code, after } = toFunctionBody(parse(source));
    const compiled = new AsyncFunction(...GLOBALS, `"use strict";${before}${code}${after}`);
    run = () => compiled(...GLOBALS.map((name) => world.globals[name])) as Promise<unknown>;
  } catch (error) {
    return { calls: [], outcome: { kind: 'refused', text: String(error) } };
  }
  const outcome = await world.drive(run());
  return { outcome, calls: [...world.calls] };
}

/** The globals of a program, and a clock that advances when the program only waits for calls or timers. */
class World {
  readonly calls: ProgramCall[] = [];
  readonly globals: Readonly<Record<(typeof GLOBALS)[number], unknown>>;
  readonly #conditions: RunConditions;
  readonly #seen = new Map<string, number>();
  #pending: Pending[] = [];
  readonly #timers: (() => void)[] = [];
  #clock = 0;
  #chance = 0;

  constructor(conditions: RunConditions) {
    this.#conditions = conditions;
    const silent = () => {};
    this.globals = {
      mcp: this.#tree([]),
      args: structuredClone(conditions.args ?? {}),
      console: { log: silent, error: silent, warn: silent, info: silent, debug: silent },
      setTimeout: (act: () => void) => this.#timers.push(act),
      // Time and chance differ at each reading, as they do for a real program.
      Date: this.#date(),
      Math: Object.assign(Object.create(Math), { random: () => ((this.#chance++ * 7919) % 1000) / 1000 }),
    };
  }

  async drive(running: Promise<unknown>): Promise<ProgramOutcome> {
    let outcome: ProgramOutcome | undefined;
    running.then(
      (value) => {
        outcome = { kind: 'returned', text: showValue(value) };
      },
      (error) => {
        outcome = { kind: 'threw', text: showValue(error) };
      },
    );
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (outcome) return outcome;
      if (this.calls.length > MAX_CALLS) return { kind: 'too many calls', text: '' };
      if (!this.#advance()) return { kind: 'hung', text: '' };
    }
  }

  /** Ends one call or timer; false if there is none. */
  #advance(): boolean {
    const next = this.#pending.reduce<Pending | undefined>(
      (first, one) => (first && first.rank <= one.rank ? first : one),
      undefined,
    );
    this.#pending = this.#pending.filter((one) => one !== next);
    const act = next?.end ?? this.#timers.shift();
    act?.();
    return act !== undefined;
  }

  /** `mcp.server.tool(…)` and `mcp["server:tool"](…)`, as the guest has them. */
  #tree(path: readonly string[]): unknown {
    return new Proxy(() => {}, {
      get: (_target, key) =>
        typeof key === 'symbol' || key === 'then' || key === 'toJSON'
          ? undefined
          : this.#tree([...path, key]),
      set: () => false,
      deleteProperty: () => false,
      apply: (_target, _self, passed: unknown[]) => this.#call(path.join(':'), passed[0]),
    });
  }

  #call(name: string, passed: unknown): Promise<unknown> {
    const { answer, schedule = 'oldest' } = this.#conditions;
    if (this.calls.length > MAX_CALLS) return new Promise(() => {});
    const args = structuredClone(passed);
    const text = `${name}(${showValue(args)})`;
    const occurrence = this.#seen.get(text) ?? 0;
    this.#seen.set(text, occurrence + 1);
    const startedAt = this.#clock++;
    const key = `${text}#${occurrence}`;
    const call: ProgramCall = {
      name,
      args,
      key,
      startedAt,
      endedAt: Number.POSITIVE_INFINITY,
      failed: false,
    };
    this.calls.push(call);
    const ranks = { oldest: startedAt, newest: -startedAt };
    const rank = typeof schedule === 'number' ? hash32(`${schedule} ${key}`) : ranks[schedule];
    return new Promise((resolve, reject) => {
      const end = () => {
        call.endedAt = this.#clock++;
        const answered = answer({ name, args, occurrence });
        if ('error' in answered) {
          call.failed = true;
          reject(new Error(answered.error));
        } else {
          call.result = structuredClone(answered.value);
          resolve(structuredClone(answered.value));
        }
      };
      this.#pending.push({ call, rank, end });
    });
  }

  #date(): unknown {
    const now = () => 1_700_000_000_000 + this.#chance++ * 1000;
    return new Proxy(Date, {
      construct: (target, passed) =>
        passed.length === 0 ? new target(now()) : Reflect.construct(target, passed),
      get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
    });
  }
}
