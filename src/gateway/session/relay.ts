import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../json.ts';
import type { CallContext, Upstream } from '../../upstream/index.ts';
import { type ClientRequest, ENVELOPE, withoutServerInfo } from './client-request.ts';
import { SuspendedCalls } from './suspended-calls.ts';

export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Carries the calls of one session to servers, and what belongs to them back: in either era, on either side. */
export class Relay {
  readonly #session: string;
  /** False where one session stands for many clients that the protocol does not tell apart. */
  readonly #oneClient: boolean;
  readonly #suspended: SuspendedCalls;
  /** What a legacy client set; a modern one says it with each request. */
  logLevel: string | undefined;

  constructor(session: string, oneClient: boolean, suspended: SuspendedCalls) {
    this.#session = session;
    this.#oneClient = oneClient;
    this.#suspended = suspended;
  }

  /** Sends one request of a client to the server it is for. */
  async send(
    upstream: Upstream,
    method: string,
    params: JsonObject,
    exchange: ClientRequest,
  ): Promise<JsonObject> {
    const { era, signal, state, answers } = exchange;
    const modernServer = (await upstream.ready(signal)) === 'modern';
    const sent = modernServer ? { ...params, _meta: this.#envelope(params, exchange) } : params;
    if (era === 'legacy' || !modernServer || SuspendedCalls.isOurs(state)) {
      return withoutServerInfo(await this.asking(exchange, (call) => upstream.request(method, sent, call)));
    }
    const retried = {
      ...sent,
      ...(answers && { inputResponses: answers }),
      ...(state !== undefined && { requestState: state }),
    };
    const call = { ...this.#contextOf(exchange), signal, takesInputRequired: true };
    return withoutServerInfo(await upstream.request(method, retried, call));
  }

  /**
   * Does something in which servers may ask the client questions. A legacy client is asked by requests; a modern one gets
   * an `input_required` result, and brings the answers when it comes back.
   */
  asking(exchange: ClientRequest, act: (call: CallContext) => Promise<JsonObject>): Promise<JsonObject> {
    const { era, signal, state, answers } = exchange;
    const call = { ...this.#contextOf(exchange), signal };
    if (era === 'legacy') return act({ ...call, ask: exchange.ask });
    if (SuspendedCalls.isOurs(state))
      return this.#suspended.resume(this.#session, state, answers ?? {}, call);
    const attempt = (asked: CallContext & Required<Pick<CallContext, 'ask'>>) =>
      act({
        ...asked,
        ask: async (question) => {
          exchange.assertCanAnswer(question);
          return asked.ask(question);
        },
      });
    return this.#suspended.start(this.#session, attempt, call);
  }

  /** A modern server hears what this very client can do, not what PML could. */
  #envelope(params: JsonObject, exchange: ClientRequest): JsonObject {
    const level = exchange.logLevel ?? this.logLevel;
    const own = typeof params._meta === 'object' && params._meta !== null ? params._meta : {};
    return {
      ...own,
      [ENVELOPE.capabilities]: exchange.capabilities,
      ...(level !== undefined && { [ENVELOPE.logLevel]: level }),
    };
  }

  #contextOf(exchange: ClientRequest): CallContext {
    const { progressToken } = exchange;
    return {
      session: this.#oneClient ? this.#session : randomUUID(),
      ...(progressToken !== undefined && {
        onprogress: (progress: JsonObject) =>
          exchange.notify('notifications/progress', { ...progress, progressToken }),
      }),
      notify: (method, params) => {
        if (method !== 'notifications/message' || this.#wantsLog(params, exchange))
          exchange.notify(method, params);
      },
    };
  }

  #wantsLog(params: JsonObject | undefined, exchange: ClientRequest): boolean {
    // A modern client that names no level wants no log; an older one gets everything until it names one.
    const threshold = exchange.era === 'modern' ? (exchange.logLevel ?? 'none') : (this.logLevel ?? 'debug');
    if (threshold === 'none') return false;
    return LOG_LEVELS.indexOf(String(params?.level)) >= LOG_LEVELS.indexOf(threshold);
  }
}
