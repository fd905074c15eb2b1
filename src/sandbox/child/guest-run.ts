import { isTextTooDeep } from '../guest-json.ts';
import {
  type CallError,
  CODE_AFTER,
  CODE_BEFORE,
  CODE_FILE,
  type EnterGuest,
  type Failure,
  type FromChild,
  type Limits,
  LOG_LEVELS,
  LOG_LINE_BYTES,
  type LogLevel,
  MAX_LOST_LENGTH,
  MAX_TIMERS,
  nestedTooDeep,
  type ToolNames,
} from '../protocol.ts';
import { failureOf, syntaxFailure } from './failure.ts';
import type { PreparedIsolate } from './isolate-pool.ts';
import type { RunState } from './run-state.ts';

export type Send = (head: FromChild, body?: string) => void;

export interface GuestRunRequest {
  run: number;
  code: string;
  /** JSON text. */
  args: string;
  limits: Limits;
  tools?: ToolNames | undefined;
}

const MAX_PATH_LENGTH = 4_000;
/** Long enough for the host to be running again, on this processor or another. */
const YIELD_MS = 0.1;

/** One run of code in a prepared isolate. The limits are enforced here; the guest's own counts only give better errors. */
export class GuestRun {
  readonly id: number;
  readonly #prepared: PreparedIsolate;
  readonly #request: GuestRunRequest;
  readonly #send: Send;
  readonly #state: RunState;
  readonly #onStopped: () => void;
  readonly #timers = new Map<number, NodeJS.Timeout>();
  /** Size of the arguments of each call under way. */
  readonly #calls = new Map<number, number>();
  #hasStarted = false;
  #callsMade = 0;
  #loggedBytes = 0;
  #isInTurn = false;
  #hasEnded = false;

  /** `onStopped` is called once the outcome is sent and the guest computes no more. */
  constructor(
    prepared: PreparedIsolate,
    request: GuestRunRequest,
    send: Send,
    state: RunState,
    onStopped: () => void,
  ) {
    this.#prepared = prepared;
    this.#request = request;
    this.id = request.run;
    this.#send = send;
    this.#state = state;
    this.#onStopped = onStopped;
    prepared.listen((kind, ...rest) => {
      if (!this.#hasEnded) this.#onMessage(kind, rest);
    });
  }

  start(): void {
    const { code, args, limits, tools } = this.#request;
    this.#enter('order', code, args, JSON.stringify(limits), tools ? JSON.stringify(tools) : '');
    if (this.#hasEnded) return;
    const text = CODE_BEFORE + code + CODE_AFTER;
    // The offset compensates for PML's text before the caller's first line, so that every position is the caller's.
    const origin = { filename: CODE_FILE, columnOffset: -CODE_BEFORE.length };
    const error = this.#turn(() => this.#prepared.context.evalSync(text, origin));
    if (error && !this.#hasStarted) this.#end(syntaxFailure(error.message, code));
  }

  /** Settles a call of the guest. */
  answer(call: number, error: CallError | undefined, body: string): void {
    if (this.#hasEnded || !this.#calls.delete(call)) return;
    this.#enter('answer', call, !error, error ? JSON.stringify(error) : body);
  }

  #enter(...entry: Parameters<EnterGuest>): void {
    this.#turn(() => this.#prepared.enter.applySync(undefined, entry));
  }

  /**
   * Enters the guest until it waits again. It computes in this thread: another one would have to be woken for each turn,
   * and to wake this one. So nothing else happens here meanwhile, and the watchdog has a thread of its own.
   */
  #turn(enter: () => unknown): Error | undefined {
    let error: Error | undefined;
    this.#isInTurn = true;
    this.#state.beginTurn();
    try {
      enter();
    } catch (thrown) {
      // Includes rejections that the guest leaves unhandled, which do not end the run.
      error = thrown as Error;
    }
    this.#state.endTurn();
    this.#isInTurn = false;
    this.#onIdle();
    return error;
  }

  /** The guest waits: ends the run if nothing can wake it. */
  #onIdle(): void {
    if (this.#hasEnded) this.#stop();
    else if (this.#prepared.isolate.isDisposed) this.#end(this.#outOfMemory());
    else if (this.#hasStarted && this.#timers.size === 0 && this.#calls.size === 0) {
      const message = 'The code can never finish: it awaits a promise that nothing will settle.';
      this.#end({ kind: 'exception', message });
    }
  }

  #onMessage(kind: unknown, [a, b, c]: unknown[]): void {
    if (kind === 'log') this.#log(a, String(b));
    else if (kind === 'started') this.#hasStarted = true;
    else if (kind === 'call') this.#call(Number(a), String(b), String(c));
    else if (kind === 'timer') this.#setTimer(Number(a), Number(b), c === true);
    else if (kind === 'clear') this.#clearTimer(Number(a));
    else if (kind === 'end') this.#finish(String(a), String(b ?? '').slice(0, MAX_LOST_LENGTH));
    else if (kind === 'throw') this.#end(failureOf(JSON.parse(String(a)), this.#request.code));
    else if (kind === 'syntax') this.#end({ kind: 'syntax', message: `SyntaxError: ${a}` });
    else if (kind === 'limit') this.#end({ kind: 'limit', message: String(a) });
  }

  #log(level: unknown, text: string): void {
    const { run, limits } = this.#request;
    if (!(LOG_LEVELS as readonly unknown[]).includes(level) || this.#loggedBytes > limits.logBytes) return;
    this.#loggedBytes += Buffer.byteLength(text) + LOG_LINE_BYTES;
    const fits = this.#loggedBytes <= limits.logBytes;
    const line = fits ? text : `[output beyond ${limits.logBytes} bytes was dropped]`;
    this.#send({ type: 'log', run, level: fits ? (level as LogLevel) : 'warn' }, line);
  }

  #call(call: number, path: string, args: string): void {
    const { run, limits } = this.#request;
    this.#callsMade += 1;
    let open = 0;
    for (const size of this.#calls.values()) open += size;
    const over =
      this.#callsMade > limits.calls || this.#calls.size >= limits.inFlight || open > limits.resultBytes;
    this.#calls.set(call, args.length);
    // The guest keeps to these limits by itself, so one that does not has bypassed its own globals.
    if (over) this.#end({ kind: 'limit', message: 'The run made more calls than its limits allow.' });
    else if (isTextTooDeep(args)) this.#end({ kind: 'limit', message: nestedTooDeep('An argument') });
    else if (path.length > MAX_PATH_LENGTH) this.#refuseLater(call, 'No tool has so long a name.');
    else this.#send({ type: 'call', run, call, path: JSON.parse(path) }, args);
  }

  /** Answers after this turn, which cannot be entered again. */
  #refuseLater(call: number, message: string): void {
    setTimeout(() => this.answer(call, { message }, ''), 0);
  }

  #setTimer(timer: number, ms: number, repeat: boolean): void {
    const due = () => {
      if (!repeat) this.#timers.delete(timer);
      this.#enter('fire', timer);
      // Set again only now, so that turns longer than the interval do not queue up.
      if (this.#timers.has(timer) && !this.#hasEnded) this.#timers.set(timer, setTimeout(due, ms));
    };
    if (this.#timers.size < MAX_TIMERS) this.#timers.set(timer, setTimeout(due, ms));
    else this.#end({ kind: 'limit', message: 'The run set too many timers.' });
  }

  #clearTimer(timer: number): void {
    clearTimeout(this.#timers.get(timer));
    this.#timers.delete(timer);
  }

  #finish(value: string, lost: string): void {
    const bytes = Buffer.byteLength(value);
    const { resultBytes } = this.#request.limits;
    const message = `The result has ${bytes} bytes and the limit is ${resultBytes}: return less of it.`;
    if (bytes > resultBytes) this.#end({ kind: 'limit', message });
    else if (isTextTooDeep(value)) this.#end({ kind: 'limit', message: nestedTooDeep('The result') });
    else this.#end(undefined, value, lost);
  }

  #outOfMemory(): Failure {
    return {
      kind: 'memory',
      message: `The code used more than ${this.#request.limits.memoryMb} MB of memory.`,
    };
  }

  #end(failure: Failure | undefined, value = '', lost = ''): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    const { run } = this.#request;
    this.#send({ type: 'end', run, failure, ...(lost !== '' && { lost }) }, value);
    if (!this.#isInTurn) this.#stop();
  }

  /**
   * Disposes of the guest, after a moment's sleep: the system tends to wake the host on the processor of this thread, where
   * the host would wait until the isolate is gone and the next one made.
   */
  #stop(): void {
    this.#state.sleep(YIELD_MS);
    if (!this.#prepared.isolate.isDisposed) this.#prepared.isolate.dispose();
    this.#onStopped();
  }
}
