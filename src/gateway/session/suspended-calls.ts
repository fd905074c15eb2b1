import { randomUUID } from 'node:crypto';
import { PmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { type CallContext, CallEnded, type ServerRequest } from '../../upstream/index.ts';

/** How long a call waits for its client to come back with the answers. */
const PATIENCE_MS = 10 * 60_000;
const PREFIX = 'pml:';
const MAX_SUSPENDED = 1000;

/** What travels with one request of the client: the one that made the call, or the one that brings the answers. */
type Visit = CallContext & { readonly signal: AbortSignal };
type Attempt = (call: Visit & Required<Pick<CallContext, 'ask'>>) => Promise<JsonObject>;

/**
 * Lets a client that is asked by `input_required` results use a server that asks by requests of its own. The call goes on
 * while the client is away gathering answers; the state it brings back finds the call again.
 */
export class SuspendedCalls {
  readonly #suspended = new Map<string, SuspendedCall>();

  get size(): number {
    return this.#suspended.size;
  }

  /** Runs a call until it ends or asks something. */
  start(owner: string, attempt: Attempt, visit: Visit): Promise<JsonObject> {
    if (this.#suspended.size >= MAX_SUSPENDED) {
      throw new PmlError('bad_request', 'Too many calls are waiting for their clients. Try again later.');
    }
    return this.#follow(new SuspendedCall(owner, attempt, visit));
  }

  /** Whether this state was given out here, and not by a server. */
  static isOurs(state: unknown): state is string {
    return typeof state === 'string' && state.startsWith(PREFIX);
  }

  resume(owner: string, state: string, answers: JsonObject, visit: Visit): Promise<JsonObject> {
    const call = this.#suspended.get(state);
    // Another caller's state is as unknown as an invented one.
    if (!call || call.owner !== owner) {
      throw new PmlError('bad_request', 'This call is no longer waiting for input. Make the call again.');
    }
    this.#suspended.delete(state);
    call.visit = visit;
    call.answer(answers);
    return this.#follow(call);
  }

  /** Ends the calls of a client that has gone: nobody will come back with the answers. */
  leave(owner: string): void {
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

  async #follow(call: SuspendedCall): Promise<JsonObject> {
    const { signal } = call.visit;
    const onAbort = () => call.abandon('The call was cancelled.');
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const outcome = await call.next();
      if (outcome.kind === 'done') return outcome.result;
      const state = `${PREFIX}${randomUUID()}`;
      this.#suspended.set(state, call);
      call.expire(PATIENCE_MS, () => this.#suspended.delete(state));
      return { resultType: 'input_required', inputRequests: outcome.questions, requestState: state };
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

type Outcome = { kind: 'done'; result: JsonObject } | { kind: 'asks'; questions: JsonObject };

class SuspendedCall {
  readonly owner: string;
  /** Where its progress goes: a request that has been answered hears no more. */
  visit: Visit;
  readonly #result: Promise<Outcome>;
  readonly #abort = new AbortController();
  readonly #open = new Map<
    string,
    { question: ServerRequest; resolve(answer: JsonObject): void; reject(e: Error): void }
  >();
  /** The questions that the client has gone to answer. Others may be asked while it is away. */
  #handedOut: ReadonlySet<string> = new Set();
  #asked = Promise.withResolvers<void>();
  #ended = false;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(owner: string, attempt: Attempt, visit: Visit) {
    this.owner = owner;
    this.visit = visit;
    this.#result = attempt({
      session: visit.session,
      signal: this.#abort.signal,
      ask: (question) => this.#ask(question),
      onprogress: (progress) => this.visit.onprogress?.(progress),
      notify: (method, params) => this.visit.notify?.(method, params),
    })
      .then((result): Outcome => ({ kind: 'done', result }))
      .finally(() => this.#end());
    // It may fail while the client is away; the failure is told when the client is back.
    this.#result.catch(() => {});
  }

  async next(): Promise<Outcome> {
    const asks = this.#asked.promise.then((): Outcome => {
      this.#handedOut = new Set(this.#open.keys());
      const questions = [...this.#open].map(([key, { question }]) => [key, question]);
      return { kind: 'asks', questions: Object.fromEntries(questions) };
    });
    return Promise.race([this.#result, asks]);
  }

  answer(answers: JsonObject): void {
    clearTimeout(this.#timer);
    this.#asked = Promise.withResolvers();
    for (const key of this.#handedOut) {
      const waiting = this.#open.get(key);
      if (!waiting) continue;
      this.#open.delete(key);
      const answer = answers[key];
      if (typeof answer === 'object' && answer !== null) waiting.resolve(answer as JsonObject);
      else waiting.reject(new PmlError('bad_request', `The client did not answer "${key}".`));
    }
    this.#handedOut = new Set();
    if (this.#open.size > 0) this.#asked.resolve();
  }

  expire(ms: number, then: () => void): void {
    this.#timer = setTimeout(() => {
      then();
      this.abandon('The client did not come back with the input that was asked for.');
    }, ms);
    this.#timer.unref();
  }

  abandon(why: string): void {
    clearTimeout(this.#timer);
    for (const { reject } of this.#open.values()) reject(new PmlError('cancelled', why));
    this.#open.clear();
    this.#abort.abort(new PmlError('cancelled', why));
  }

  #end(): void {
    this.#ended = true;
    for (const { reject } of this.#open.values()) reject(new CallEnded());
    this.#open.clear();
  }

  async #ask(question: ServerRequest): Promise<JsonObject> {
    if (this.#ended) throw new CallEnded();
    this.#count += 1;
    const key = `${question.method.split('/')[0]}_${this.#count}`;
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    this.#open.set(key, { question, resolve, reject });
    // Questions asked in the same breath go out together.
    setImmediate(() => this.#open.size > 0 && this.#asked.resolve());
    return promise;
  }
}
