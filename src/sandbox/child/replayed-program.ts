import { isTextTooDeep } from '../guest-json.ts';
import { type EnterGuest, READ_PATH, type Thrown } from '../protocol.ts';
import {
  MAX_TRANSCRIPT_TEXT,
  type ReplayLimits,
  type TranscribedCall,
  type Transcript,
} from '../replay-request.ts';
import type { AnswerCall, WorldAnswer } from '../worlds/open-world.ts';
import { canonicalArgs } from '../worlds/recorded-answers.ts';
import type { PreparedContext } from './isolate-pool.ts';

/** A program in one world. */
export interface Replayed {
  readonly code: string;
  /** JSON text. */
  readonly args: string;
  /** Evaluates the code in the context. */
  readonly evaluate: (context: PreparedContext['context']) => void;
  /** Sets the clock of the context. */
  readonly clock: { runSync(context: PreparedContext['context']): void };
  /** The canonical name of a spelling. */
  readonly nameOf: (spelled: string) => string;
  readonly answer: AnswerCall;
}

interface VirtualTimer {
  readonly due: number;
  readonly ms: number;
  readonly repeat: boolean;
}

const NEVER = 'The code can never finish: it awaits a promise that nothing will settle.';
/** Thrown by V8 where the stack ends, which depends on how code is written more than on what it does. */
const NO_STACK = 'Maximum call stack size exceeded';

/**
 * One program in one world, in a context of its own. There is no way out: the world answers every call, timers never wait,
 * and what the code prints is dropped.
 */
export class ReplayedProgram {
  readonly #prepared: PreparedContext;
  readonly #replayed: Replayed;
  readonly #limits: ReplayLimits;
  readonly #calls: TranscribedCall[] = [];
  /** Answers that the guest has not got yet, in the order of their calls. */
  readonly #answers: { call: number; answer: WorldAnswer }[] = [];
  readonly #timers = new Map<number, VirtualTimer>();
  #now = 0;
  #fired = 0;
  #argsSize = 0;
  #hasStarted = false;
  #outcome: Omit<Transcript, 'calls'> | undefined;

  constructor(prepared: PreparedContext, replayed: Replayed, limits: ReplayLimits) {
    this.#prepared = prepared;
    this.#replayed = replayed;
    this.#limits = limits;
    prepared.listen((kind, ...rest) => {
      if (this.#outcome) return;
      // An error here would be the guest's to catch.
      const error = this.#try(() => this.#onMessage(kind, rest));
      if (error) this.#end('limit', `Not understood: ${error.message}`);
    });
  }

  /** Runs the program to its end. `isGone` tells whether V8 has given up on the isolate. */
  run(isGone: () => boolean): Transcript {
    const { code, args, clock, evaluate } = this.#replayed;
    // Calls beyond the limits get no answer, so that the guest waits; an error it could catch, and go on for ever.
    const resultBytes = 16 * this.#limits.valueBytes;
    const limits = { calls: 1e9, inFlight: 1e9, resultBytes, logBytes: -1 };
    this.#enter('order', code, args, JSON.stringify(limits), '');
    const error = this.#try(() => {
      clock.runSync(this.#prepared.context);
      evaluate(this.#prepared.context);
    });
    if (error && !this.#hasStarted) this.#end('failure', error.message);
    while (!this.#outcome) {
      if (isGone()) this.#end('limit', 'The code used too much memory.');
      else this.#wake();
    }
    return { calls: this.#calls, ...this.#outcome };
  }

  /** Delivers the next answer. If none is under way, moves the clock to the next timer. */
  #wake(): void {
    const next = this.#answers.shift();
    if (next) {
      const { ok, text } = next.answer;
      this.#enter(
        'answer',
        next.call,
        ok,
        ok ? text : JSON.stringify({ message: text, code: 'tool_failed' }),
      );
    } else if (this.#timers.size > 0) this.#fireNext();
    else this.#end('failure', NEVER);
  }

  #fireNext(): void {
    let [id, first] = [0, undefined as VirtualTimer | undefined];
    // The first of equal ones is the one that was set first.
    for (const [timer, one] of this.#timers) if (!first || one.due < first.due) [id, first] = [timer, one];
    if (!first) return;
    this.#fired += 1;
    if (this.#fired > this.#limits.timers) this.#end('limit', 'Too many timers fired.');
    this.#timers.delete(id);
    this.#now = first.due;
    if (first.repeat) this.#timers.set(id, { ...first, due: this.#now + first.ms });
    this.#enter('fire', id);
  }

  #enter(...entry: Parameters<EnterGuest>): void {
    this.#try(() => this.#prepared.enter.applySync(undefined, entry));
  }

  /** Errors include rejections that the guest leaves unhandled, which do not end a run either. */
  #try(act: () => unknown): Error | undefined {
    try {
      act();
    } catch (thrown) {
      return thrown as Error;
    }
    return undefined;
  }

  #onMessage(kind: unknown, [a, b, c]: unknown[]): void {
    if (kind === 'started') this.#hasStarted = true;
    else if (kind === 'call') this.#call(Number(a), String(b), String(c));
    else if (kind === 'timer') this.#setTimer(Number(a), Number(b), c === true);
    else if (kind === 'clear') this.#timers.delete(Number(a));
    else if (kind === 'end') this.#finish(String(a));
    else if (kind === 'throw') this.#fail(String(a));
    else if (kind === 'syntax') this.#end('failure', String(a));
    else if (kind === 'limit') this.#end('limit', String(a));
  }

  #call(call: number, path: string, args: string): void {
    this.#argsSize += args.length;
    const isOver = this.#calls.length >= this.#limits.calls || this.#argsSize > this.#limits.valueBytes;
    if (isOver || isTextTooDeep(args)) this.#end('limit', 'Too many or too large calls.');
    else this.#answerCall(call, path, args);
  }

  #answerCall(call: number, path: string, args: string): void {
    const spelled = (JSON.parse(path) as unknown[]).map(String);
    const name = spelled[0] === READ_PATH ? `pml.${spelled[1]}` : this.#replayed.nameOf(spelled.join(':'));
    const canonical = canonicalArgs(args === '' ? undefined : JSON.parse(args));
    // Answers come in the order of the calls.
    const unanswered = this.#answers.length;
    this.#calls.push({ name: name.slice(0, MAX_TRANSCRIPT_TEXT), args: canonical, unanswered });
    this.#answers.push({ call, answer: this.#replayed.answer(name, canonical) });
  }

  #setTimer(timer: number, ms: number, repeat: boolean): void {
    if (this.#timers.size >= this.#limits.timers) this.#end('limit', 'Too many timers.');
    // A guest that bypassed its globals may send no number, and time must go on.
    const delay = Number.isFinite(ms) ? Math.max(ms, 1) : 1;
    this.#timers.set(timer, { due: this.#now + delay, ms: delay, repeat });
  }

  #finish(value: string): void {
    const isOver = value.length > this.#limits.valueBytes || isTextTooDeep(value);
    if (isOver) this.#end('limit', 'The result is too large or nested too deep.');
    else this.#outcome = { end: 'value', value };
  }

  #fail(text: string): void {
    const { name, message } = JSON.parse(text) as Thrown;
    const isStack = name === 'RangeError' && message === NO_STACK;
    this.#end(isStack ? 'limit' : 'failure', String(message));
  }

  #end(end: 'failure' | 'limit', message: string): void {
    this.#outcome ??= { end, message: message.slice(0, MAX_TRANSCRIPT_TEXT) };
  }
}
