import { isTextTooDeep } from '../guest-nesting.ts';
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
import { type TurnWatchdog, watchTurns } from './turn-watchdog.ts';

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

/** One run of code in a prepared isolate. The limits are enforced here; the guest's own counts only give better errors. */
export class GuestRun {
  readonly id: number;
  /** Settles when the outcome is sent. */
  readonly ended: Promise<void>;
  /** Settles when the guest computes no more; never, if V8 cannot stop it. */
  readonly stopped: Promise<void>;
  readonly #prepared: PreparedIsolate;
  readonly #request: GuestRunRequest;
  readonly #send: Send;
  readonly #watchdog: TurnWatchdog;
  readonly #settleEnded: () => void;
  readonly #settleStopped: () => void;
  readonly #timers = new Map<number, NodeJS.Timeout>();
  /** Size of the arguments of each call under way. */
  readonly #calls = new Map<number, number>();
  #hasStarted = false;
  #callsMade = 0;
  #loggedBytes = 0;
  #openTurns = 0;
  #hasEnded = false;

  constructor(prepared: PreparedIsolate, request: GuestRunRequest, send: Send) {
    const ended = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    this.ended = ended.promise;
    this.stopped = stopped.promise;
    this.#settleEnded = ended.resolve;
    this.#settleStopped = stopped.resolve;
    this.#prepared = prepared;
    this.#request = request;
    this.id = request.run;
    this.#send = send;
    this.#watchdog = watchTurns(request.limits, (kind, message) => this.#end({ kind, message }));
    prepared.onFatal(() => this.#end(this.#outOfMemory()));
    prepared.listen((kind, ...rest) => {
      if (!this.#hasEnded) this.#onMessage(kind, rest);
    });
  }

  /** Sends the arguments and the code without waiting in between: each wait would cost a wake-up of the isolate's thread. */
  async start(): Promise<void> {
    const { code, args, limits, tools } = this.#request;
    this.#enter('order', code, args, JSON.stringify(limits), tools ? JSON.stringify(tools) : '');
    const text = CODE_BEFORE + code + CODE_AFTER;
    // The offset compensates for PML's text before the caller's first line, so that every position is the caller's.
    const origin = { filename: CODE_FILE, columnOffset: -CODE_BEFORE.length };
    const error = await this.#turn(() => this.#prepared.context.eval(text, origin));
    if (error && !this.#hasStarted) this.#end(syntaxFailure(error.message, code));
  }

  /** Settles a call of the guest. */
  answer(call: number, error: CallError | undefined, body: string): void {
    if (this.#hasEnded || !this.#calls.delete(call)) return;
    this.#enter('answer', call, !error, error ? JSON.stringify(error) : body);
  }

  #enter(...entry: Parameters<EnterGuest>): Promise<unknown> {
    return this.#turn(() => this.#prepared.enter.apply(undefined, entry));
  }

  /** Enters the guest, and follows it until it waits again. */
  async #turn(enter: () => Promise<unknown>): Promise<Error | undefined> {
    this.#openTurns += 1;
    this.#watchdog.turnBegan();
    let error: Error | undefined;
    try {
      await enter();
    } catch (thrown) {
      // Includes rejections that the guest leaves unhandled, which do not end the run.
      error = thrown as Error;
    }
    this.#openTurns -= 1;
    this.#watchdog.turnEnded();
    if (this.#openTurns === 0) this.#onIdle();
    return error;
  }

  /** The guest waits: ends the run if nothing can wake it. */
  #onIdle(): void {
    if (this.#hasEnded) this.#settleStopped();
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
    else if (path.length > MAX_PATH_LENGTH) this.answer(call, { message: 'No tool has so long a name.' }, '');
    else this.#send({ type: 'call', run, call, path: JSON.parse(path) }, args);
  }

  #setTimer(timer: number, ms: number, repeat: boolean): void {
    const due = async () => {
      if (!repeat) this.#timers.delete(timer);
      await this.#enter('fire', timer);
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
    this.#watchdog.stop();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    const { run } = this.#request;
    this.#send({ type: 'end', run, failure, ...(lost !== '' && { lost }) }, value);
    this.#settleEnded();
    if (!this.#prepared.isolate.isDisposed) this.#prepared.isolate.dispose();
    if (this.#openTurns === 0) this.#settleStopped();
  }
}
