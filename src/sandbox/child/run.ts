import { isTooDeep } from '../nesting.ts';
import {
  type CallError,
  CODE_AFTER,
  CODE_BEFORE,
  CODE_FILE,
  type Failure,
  type FromChild,
  type Limits,
  LOG_LEVELS,
  LOG_LINE_BYTES,
  type LogLevel,
  MAX_TIMERS,
  type Receive,
  tooDeep,
} from '../protocol.ts';
import { failureOf, syntaxFailure } from './failure.ts';
import type { Prepared } from './isolate-pool.ts';
import { type Watch, watchTurns } from './watch.ts';

export type Send = (head: FromChild, body?: string) => void;

export interface Order {
  run: number;
  code: string;
  /** JSON text. */
  args: string;
  limits: Limits;
}

const MAX_PATH = 4_000;

/** One run of code in a prepared isolate. The limits are held here: what the guest itself counts is a courtesy. */
export class GuestRun {
  readonly id: number;
  /** Settles when the outcome is sent. */
  readonly over: Promise<void>;
  /** Settles when nothing of the run is left in the process; never, if V8 cannot stop the guest. */
  readonly gone: Promise<void>;
  readonly #prepared: Prepared;
  readonly #order: Order;
  readonly #send: Send;
  readonly #watch: Watch;
  readonly #settleOver: () => void;
  readonly #settleGone: () => void;
  readonly #timers = new Map<number, NodeJS.Timeout>();
  /** Size of the arguments of each call under way. */
  readonly #calls = new Map<number, number>();
  #started = false;
  #made = 0;
  #logged = 0;
  #turns = 0;
  #ended = false;

  constructor(prepared: Prepared, order: Order, send: Send) {
    const over = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    this.over = over.promise;
    this.gone = gone.promise;
    this.#settleOver = over.resolve;
    this.#settleGone = gone.resolve;
    this.#prepared = prepared;
    this.#order = order;
    this.id = order.run;
    this.#send = send;
    this.#watch = watchTurns(order.limits, (kind, message) => this.#end({ kind, message }));
    prepared.onFatal(() => this.#end(this.#outOfMemory()));
    prepared.listen((kind, ...rest) => {
      if (!this.#ended) this.#hear(kind, rest);
    });
  }

  /** Sends the order and the code in one go: each separate entry would cost a wake-up of the isolate's thread. */
  async start(): Promise<void> {
    const { code, args, limits } = this.#order;
    this.#enter('order', code, args, JSON.stringify(limits));
    const text = CODE_BEFORE + code + CODE_AFTER;
    // The offset makes up for our own text before the caller's first line, so that every position is the caller's.
    const origin = { filename: CODE_FILE, columnOffset: -CODE_BEFORE.length };
    const error = await this.#turn(() => this.#prepared.context.eval(text, origin));
    if (error && !this.#started) this.#end(syntaxFailure(error.message, code));
  }

  /** Settles a call of the guest. */
  answer(call: number, error: CallError | undefined, body: string): void {
    if (this.#ended || !this.#calls.delete(call)) return;
    this.#enter('answer', call, !error, error ? JSON.stringify(error) : body);
  }

  #enter(...entry: Parameters<Receive>): Promise<unknown> {
    return this.#turn(() => this.#prepared.receive.apply(undefined, entry));
  }

  /** Follows one entry into the guest until the guest waits again. */
  async #turn(enter: () => Promise<unknown>): Promise<Error | undefined> {
    this.#turns += 1;
    this.#watch.begin();
    let error: Error | undefined;
    try {
      await enter();
    } catch (thrown) {
      // Also what the guest leaves unhandled, which is the guest's own affair.
      error = thrown as Error;
    }
    this.#turns -= 1;
    this.#watch.done();
    if (this.#turns === 0) this.#rest();
    return error;
  }

  /** The guest waits. For what? */
  #rest(): void {
    if (this.#ended) this.#settleGone();
    else if (this.#prepared.isolate.isDisposed) this.#end(this.#outOfMemory());
    else if (this.#started && this.#timers.size === 0 && this.#calls.size === 0) {
      const message = 'The code can never finish: it awaits a promise that nothing will settle.';
      this.#end({ kind: 'exception', message });
    }
  }

  #hear(kind: unknown, [a, b, c]: unknown[]): void {
    if (kind === 'log') this.#log(a, String(b));
    else if (kind === 'started') this.#started = true;
    else if (kind === 'call') this.#call(Number(a), String(b), String(c));
    else if (kind === 'timer') this.#setTimer(Number(a), Number(b), c === true);
    else if (kind === 'clear') this.#clearTimer(Number(a));
    else if (kind === 'end') this.#finish(String(a));
    else if (kind === 'throw') this.#end(failureOf(JSON.parse(String(a)), this.#order.code));
    else if (kind === 'syntax') this.#end({ kind: 'syntax', message: `SyntaxError: ${a}` });
    else if (kind === 'limit') this.#end({ kind: 'limit', message: String(a) });
  }

  #log(level: unknown, text: string): void {
    const { run, limits } = this.#order;
    if (!(LOG_LEVELS as readonly unknown[]).includes(level) || this.#logged > limits.logBytes) return;
    this.#logged += Buffer.byteLength(text) + LOG_LINE_BYTES;
    const fits = this.#logged <= limits.logBytes;
    const line = fits ? text : `[output beyond ${limits.logBytes} bytes was dropped]`;
    this.#send({ type: 'log', run, level: fits ? (level as LogLevel) : 'warn' }, line);
  }

  #call(call: number, path: string, args: string): void {
    const { run, limits } = this.#order;
    this.#made += 1;
    let open = 0;
    for (const size of this.#calls.values()) open += size;
    const over =
      this.#made > limits.calls || this.#calls.size >= limits.inFlight || open > limits.resultBytes;
    this.#calls.set(call, args.length);
    // The guest keeps to these by itself; one that does not has got round its own globals.
    if (over) this.#end({ kind: 'limit', message: 'The run made more calls than its limits allow.' });
    else if (isTooDeep(args)) this.#end({ kind: 'limit', message: tooDeep('An argument') });
    else if (path.length > MAX_PATH) this.answer(call, { message: 'No tool has so long a name.' }, '');
    else this.#send({ type: 'call', run, call, path: JSON.parse(path) }, args);
  }

  #setTimer(timer: number, ms: number, repeat: boolean): void {
    const due = async () => {
      if (!repeat) this.#timers.delete(timer);
      await this.#enter('fire', timer);
      // Set again only now, so that turns longer than the interval do not pile up.
      if (this.#timers.has(timer) && !this.#ended) this.#timers.set(timer, setTimeout(due, ms));
    };
    if (this.#timers.size < MAX_TIMERS) this.#timers.set(timer, setTimeout(due, ms));
    else this.#end({ kind: 'limit', message: 'The run set too many timers.' });
  }

  #clearTimer(timer: number): void {
    clearTimeout(this.#timers.get(timer));
    this.#timers.delete(timer);
  }

  #finish(value: string): void {
    const bytes = Buffer.byteLength(value);
    const { resultBytes } = this.#order.limits;
    const message = `The result has ${bytes} bytes and the limit is ${resultBytes}: return less of it.`;
    if (bytes > resultBytes) this.#end({ kind: 'limit', message });
    else if (isTooDeep(value)) this.#end({ kind: 'limit', message: tooDeep('The result') });
    else this.#end(undefined, value);
  }

  #outOfMemory(): Failure {
    return {
      kind: 'memory',
      message: `The code used more than ${this.#order.limits.memoryMb} MB of memory.`,
    };
  }

  #end(failure: Failure | undefined, value = ''): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#watch.stop();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#send({ type: 'end', run: this.#order.run, failure }, value);
    this.#settleOver();
    if (!this.#prepared.isolate.isDisposed) this.#prepared.isolate.dispose();
    if (this.#turns === 0) this.#settleGone();
  }
}
