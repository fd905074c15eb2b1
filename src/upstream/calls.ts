import { PmlError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { PausableDeadline } from '../pausable-deadline.ts';

/** A server that asks more at once is refused: whoever is asked is a person or a model. */
const MAX_QUESTIONS = 32;

/** A request a server makes of its client in the middle of a call: sampling, elicitation, roots. */
export interface Question {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

/** What travels with a call. Nothing about the caller lives anywhere else. */
export interface CallContext {
  /** Tells callers apart, so that what a server sends back reaches the right one. */
  readonly session: string;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: JsonObject) => void;
  /** Puts a server's question to this caller. Absent: this caller cannot be asked. */
  readonly ask?: (question: Question) => Promise<JsonObject>;
  /** A notification that belongs to this call, such as a log message. */
  readonly notify?: (method: string, params: JsonObject | undefined) => void;
  /** The caller speaks `input_required` itself: hand such a result back instead of asking. */
  readonly handsBackQuestions?: boolean;
}

/** Thrown by a call's `ask` when the call ended before its client answered. */
export class CallOver extends Error {
  override readonly name = 'CallOver';
}

/** A call, and how long its server may stay silent in it. */
export interface CallUnderWay extends CallContext {
  readonly patience: PausableDeadline;
}

/**
 * The calls under way on one connection. A server's own requests name no call, so on a shared connection they belong to
 * a caller only while that one alone has calls under way.
 */
export class CallsUnderWay {
  readonly #calls = new Set<CallUnderWay>();
  #idle: PromiseWithResolvers<void> | undefined;
  #questions = 0;

  add(call: CallUnderWay): () => void {
    this.#calls.add(call);
    return () => {
      this.#calls.delete(call);
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

  /** The newest call of the only session that has one. */
  owner(): CallContext | undefined {
    let newest: CallContext | undefined;
    for (const call of this.#calls) {
      if (newest && newest.session !== call.session) return undefined;
      newest = call;
    }
    return newest;
  }

  /** Answers a server's question through the call it belongs to. */
  async ask(server: string, question: Question): Promise<JsonObject> {
    if (this.#questions >= MAX_QUESTIONS)
      throw new PmlError(
        'bad_request',
        `PML passes on no ${question.method}: ${MAX_QUESTIONS} questions wait already.`,
      );
    this.#questions += 1;
    try {
      return await this.#askOwner(server, question);
    } finally {
      this.#questions -= 1;
    }
  }

  async #askOwner(server: string, question: Question): Promise<JsonObject> {
    for (;;) {
      const owner = this.#ownerOf(server, question);
      try {
        return await this.#waiting(owner, () => owner.ask(question));
      } catch (error) {
        // One that ended without the answer was not the call that asked: it is another of the same session.
        if (!(error instanceof CallOver) || this.#calls.has(owner)) throw error;
      }
    }
  }

  /** A server that waits for an answer is not silent, in whichever of the session's calls it asked. */
  #waiting<T>({ session }: CallContext, act: () => Promise<T>): Promise<T> {
    const calls = [...this.#calls].filter((call) => call.session === session);
    return calls.reduce(
      (inner, { patience }) =>
        () =>
          patience.pauseDuring(inner),
      act,
    )();
  }

  #ownerOf(server: string, question: Question): CallUnderWay & Required<Pick<CallContext, 'ask'>> {
    const owner = this.owner();
    if (!owner) {
      const why = this.#calls.size === 0 ? 'no call is under way' : 'calls of several sessions are under way';
      throw new PmlError('bad_request', `PML cannot tell who should answer ${question.method}: ${why}.`, {
        hint: `Set "pml": {"perSession": true} on server "${server}" so that each session has its own.`,
      });
    }
    if (!owner.ask) throw new PmlError('bad_request', `The client does not support ${question.method}.`);
    return owner as CallUnderWay & Required<Pick<CallContext, 'ask'>>;
  }
}
