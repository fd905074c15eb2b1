import { randomUUID } from 'node:crypto';
import { PmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { type CallContext, CallEnded, type ServerRequest } from '../../upstream/index.ts';

/** How long a call waits for its client to come back with the answers. */
const MAX_WAIT_MS = 10 * 60_000;
const STATE_PREFIX = 'pml:';
const MAX_SUSPENDED = 1000;
const CANCELLED = 'The call was cancelled.';

/** The context of one request: of the first one, which makes the call, or of a retry, which brings answers. */
type RequestContext = CallContext & { readonly signal: AbortSignal };
type Act = (call: RequestContext & Required<Pick<CallContext, 'ask'>>) => Promise<JsonObject>;

/**
 * Lets a modern client, which is asked by `input_required` results, use a server that asks by requests of its own. The call
 * goes on while the client gathers answers; the state that the client sends with them finds the call again.
 */
export class SuspendedCalls {
  readonly #suspended = new Map<string, SuspendedCall>();

  get size(): number {
    return this.#suspended.size;
  }

  /** Runs a call until it ends or asks something. */
  start(owner: string, act: Act, context: RequestContext): Promise<JsonObject> {
    if (context.signal.aborted) throw new PmlError('cancelled', CANCELLED);
    if (this.#suspended.size >= MAX_SUSPENDED) {
      throw new PmlError('bad_request', 'Too many calls are waiting for their clients. Try again later.');
    }
    return this.#endOrSuspend(new SuspendedCall(owner, act, context));
  }

  /** True for a state that PML issued, false for one that a server issued. */
  static ownsState(state: unknown): state is string {
    return typeof state === 'string' && state.startsWith(STATE_PREFIX);
  }

  /** Gives a suspended call its answers, and runs it until it ends or asks again. */
  resume(owner: string, state: string, answers: JsonObject, context: RequestContext): Promise<JsonObject> {
    const call = this.#suspended.get(state);
    // Another caller's state is as unknown as an invented one.
    if (!call || call.owner !== owner) {
      throw new PmlError('bad_request', 'This call is no longer waiting for input. Make the call again.');
    }
    this.#suspended.delete(state);
    call.context = context;
    call.answer(answers);
    return this.#endOrSuspend(call);
  }

  /** Ends the calls of a client that has gone: nobody will come back with the answers. */
  abandonAll(owner: string): void {
    for (const [state, call] of this.#suspended) {
      if (call.owner !== owner) continue;
      this.#suspended.delete(state);
      call.abandon('The client has gone.');
    }
  }

  close(): void {
    for (const call of this.#suspended.values()) call.abandon('PML is stopping.');
    this.#suspended.clear();
  }

  async #endOrSuspend(call: SuspendedCall): Promise<JsonObject> {
    const { signal } = call.context;
    const onAbort = () => call.abandon(CANCELLED);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const outcome = await call.next();
      if (outcome.kind === 'done') return outcome.result;
      const state = `${STATE_PREFIX}${randomUUID()}`;
      this.#suspended.set(state, call);
      call.expire(MAX_WAIT_MS, () => this.#suspended.delete(state));
      return { resultType: 'input_required', inputRequests: outcome.questions, requestState: state };
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

type Outcome = { kind: 'done'; result: JsonObject } | { kind: 'asks'; questions: JsonObject };

interface PendingQuestion {
  question: ServerRequest;
  resolve(answer: JsonObject): void;
  reject(error: Error): void;
}

class SuspendedCall {
  readonly owner: string;
  /** The context of the latest request, which gets progress: an answered request cannot receive any. */
  context: RequestContext;
  readonly #result: Promise<Outcome>;
  readonly #abort = new AbortController();
  readonly #pending = new Map<string, PendingQuestion>();
  /** The questions that were sent to the client. The server may ask more before the answers come. */
  #handedOut: ReadonlySet<string> = new Set();
  #asked = Promise.withResolvers<void>();
  #ended = false;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(owner: string, act: Act, context: RequestContext) {
    this.owner = owner;
    this.context = context;
    this.#result = act({
      session: context.session,
      signal: this.#abort.signal,
      ask: (question) => this.#ask(question),
      onprogress: (progress) => this.context.onprogress?.(progress),
      notify: (method, params) => this.context.notify?.(method, params),
      log: (level, text) => this.context.log?.(level, text),
    })
      .then((result): Outcome => ({ kind: 'done', result }))
      .finally(() => this.#end());
    // A call may fail while the client is away; `next` reports the failure when the client is back.
    this.#result.catch(() => {});
  }

  /** Settles when the call ends or asks something. */
  async next(): Promise<Outcome> {
    const asks = this.#asked.promise.then((): Outcome => {
      this.#handedOut = new Set(this.#pending.keys());
      const questions = [...this.#pending].map(([key, { question }]) => [key, question]);
      return { kind: 'asks', questions: Object.fromEntries(questions) };
    });
    return Promise.race([this.#result, asks]);
  }

  answer(answers: JsonObject): void {
    clearTimeout(this.#timer);
    this.#asked = Promise.withResolvers();
    for (const key of this.#handedOut) {
      const pending = this.#pending.get(key);
      if (!pending) continue;
      this.#pending.delete(key);
      const answer = answers[key];
      if (typeof answer === 'object' && answer !== null) pending.resolve(answer as JsonObject);
      else pending.reject(new PmlError('bad_request', `The client did not answer "${key}".`));
    }
    this.#handedOut = new Set();
    if (this.#pending.size > 0) this.#asked.resolve();
  }

  expire(ms: number, onExpired: () => void): void {
    this.#timer = setTimeout(() => {
      onExpired();
      this.abandon('The client did not come back with the input that was asked for.');
    }, ms);
    this.#timer.unref();
  }

  abandon(why: string): void {
    clearTimeout(this.#timer);
    for (const { reject } of this.#pending.values()) reject(new PmlError('cancelled', why));
    this.#pending.clear();
    this.#abort.abort(new PmlError('cancelled', why));
  }

  #end(): void {
    this.#ended = true;
    for (const { reject } of this.#pending.values()) reject(new CallEnded());
    this.#pending.clear();
  }

  async #ask(question: ServerRequest): Promise<JsonObject> {
    if (this.#ended) throw new CallEnded();
    this.#count += 1;
    const key = `${question.method.split('/')[0]}_${this.#count}`;
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    this.#pending.set(key, { question, resolve, reject });
    // Questions asked in the same turn of the event loop go out together.
    setImmediate(() => this.#pending.size > 0 && this.#asked.resolve());
    return promise;
  }
}
