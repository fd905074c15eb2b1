import { PmlError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { PausableDeadline } from '../pausable-deadline.ts';

/** A server may have this many requests open at once. Each is answered by a person or a model. */
const MAX_SERVER_REQUESTS = 32;
/** Most calls under way on one connection; one session may have half. `MessageThrottle` tracks more open requests. */
const MAX_CALLS = 8000;

/** A request from a server to its client in the middle of a call: sampling, elicitation, roots. */
export interface ServerRequest {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

/** The caller of a call and the ways back to it. Nothing else holds anything about the caller. */
export interface CallContext {
  /** Tells callers apart, so that a server's messages reach the right one. */
  readonly session: string;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: JsonObject) => void;
  /** Puts a server's request to this caller. Absent if the caller cannot be asked. */
  readonly ask?: (request: ServerRequest) => Promise<JsonObject>;
  /** Passes on a notification that belongs to this call, such as a log message. */
  readonly notify?: (method: string, params: JsonObject | undefined) => void;
  /** Sends the caller a log message of PML's own. Absent if it did not ask for log messages. */
  readonly log?: (level: string, text: string) => void;
  /** The caller understands `input_required` results: return them instead of asking. */
  readonly takesInputRequired?: boolean;
}

/** Thrown by a call's `ask` if the call ends before its client has answered. */
export class CallEnded extends Error {
  override readonly name = 'CallEnded';
}

/** A call, and how long its server may stay silent. */
export interface ActiveCall extends CallContext {
  readonly deadline: PausableDeadline;
}

/**
 * The calls under way on one connection. A server's own requests name no call, so on a shared connection they belong to
 * a session only while no other session has calls under way.
 */
export class ActiveCalls {
  readonly #calls = new Set<ActiveCall>();
  readonly #bySession = new Map<string, number>();
  #idle: PromiseWithResolvers<void> | undefined;
  #openRequests = 0;

  /** Adds a call to this server. Returns a function that ends it. */
  add(server: string, call: ActiveCall): () => void {
    const { session } = call;
    const own = this.#bySession.get(session) ?? 0;
    if (this.#calls.size >= MAX_CALLS || own >= MAX_CALLS / 2) throw tooManyCalls(server);
    this.#calls.add(call);
    this.#bySession.set(session, own + 1);
    return () => {
      this.#calls.delete(call);
      this.#leave(session);
      if (this.#calls.size === 0) this.#idle?.resolve();
    };
  }

  /** Settles when no call is under way. */
  idle(): Promise<void> {
    if (this.#calls.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Returns the newest call, if all calls are of one session. */
  owner(): CallContext | undefined {
    let newest: CallContext | undefined;
    for (const call of this.#calls) {
      if (newest && newest.session !== call.session) return undefined;
      newest = call;
    }
    return newest;
  }

  /** Answers a server's request through the call it belongs to. */
  async ask(server: string, request: ServerRequest): Promise<JsonObject> {
    if (this.#openRequests >= MAX_SERVER_REQUESTS)
      throw new PmlError(
        'bad_request',
        `PML refuses ${request.method}: this server has ${MAX_SERVER_REQUESTS} open requests already.`,
      );
    this.#openRequests += 1;
    try {
      return await this.#askOwner(server, request);
    } finally {
      this.#openRequests -= 1;
    }
  }

  #leave(session: string): void {
    const left = (this.#bySession.get(session) ?? 1) - 1;
    if (left > 0) this.#bySession.set(session, left);
    else this.#bySession.delete(session);
  }

  async #askOwner(server: string, request: ServerRequest): Promise<JsonObject> {
    for (;;) {
      const owner = this.#ownerOf(server, request);
      try {
        return await this.#pauseDeadlines(owner, () => owner.ask(request));
      } catch (error) {
        // A call that ended unanswered was not the one that the server asked for: another call of the session is.
        if (!(error instanceof CallEnded) || this.#calls.has(owner)) throw error;
      }
    }
  }

  /** Pauses the deadlines of all calls of the session: a server that waits for an answer is not silent. */
  #pauseDeadlines<T>({ session }: CallContext, act: () => Promise<T>): Promise<T> {
    const calls = [...this.#calls].filter((call) => call.session === session);
    return calls.reduce(
      (inner, { deadline }) =>
        () =>
          deadline.pauseDuring(inner),
      act,
    )();
  }

  #ownerOf(server: string, request: ServerRequest): ActiveCall & Required<Pick<CallContext, 'ask'>> {
    const owner = this.owner();
    if (!owner) {
      const why = this.#calls.size === 0 ? 'no call is under way' : 'calls of several sessions are under way';
      throw new PmlError('bad_request', `PML cannot tell who should answer ${request.method}: ${why}.`, {
        hint: `Set "pml": {"perSession": true} on server "${server}" so that each session has its own.`,
      });
    }
    if (!owner.ask) throw new PmlError('bad_request', `The client does not support ${request.method}.`);
    return owner as ActiveCall & Required<Pick<CallContext, 'ask'>>;
  }
}

function tooManyCalls(server: string): PmlError {
  return new PmlError('bad_request', `Too many calls of server "${server}" are under way.`, {
    hint: 'Wait until some of them have ended.',
  });
}
