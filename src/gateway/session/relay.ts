import type { JsonObject } from '../../json.ts';
import type { CallContext, Upstream } from '../../upstream/index.ts';
import { LOG_LEVELS } from '../../workspace/index.ts';
import { type ClientRequest, ENVELOPE, withoutServerInfo } from './client-request.ts';
import { SuspendedCalls } from './suspended-calls.ts';

export interface RelayOptions {
  /** The id of the session. */
  session: string;
  /** False where one session stands for many clients that the protocol does not tell apart. */
  isOneClient: boolean;
  suspended: SuspendedCalls;
}

/**
 * Relays the requests of one session to servers. Progress, log messages and questions of the server go back to the client
 * whose request caused them, in the era that each side speaks.
 */
export class Relay {
  readonly #options: RelayOptions;
  /** The level that a legacy client set. A modern client states one with each request. */
  logLevel: string | undefined;

  /** Numbers the requests of a session that many clients share: each request counts as a client of its own. */
  #requests = 0;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Sends one request of a client to the server it is for. */
  async send(
    upstream: Upstream,
    method: string,
    params: JsonObject,
    request: ClientRequest,
  ): Promise<JsonObject> {
    const { era, signal, state, answers } = request;
    const isModernServer = (await upstream.ready(signal)) === 'modern';
    const sent = isModernServer ? { ...params, _meta: this.#envelope(params, request) } : params;
    if (era === 'legacy' || !isModernServer || SuspendedCalls.ownsState(state)) {
      const result = this.runInteractive(request, (call) => upstream.request(method, sent, call));
      return withoutServerInfo(await result);
    }
    const retried = {
      ...sent,
      ...(answers && { inputResponses: answers }),
      ...(state !== undefined && { requestState: state }),
    };
    const call = { ...this.#contextOf(request), signal, takesInputRequired: true };
    return withoutServerInfo(await upstream.request(method, retried, call));
  }

  /**
   * Runs an act in which servers may ask the client questions. A legacy client is asked by requests; a modern one gets an
   * `input_required` result, and sends its answers with the retried request.
   */
  runInteractive(
    request: ClientRequest,
    act: (call: CallContext) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const { session, suspended } = this.#options;
    const { era, signal, state, answers } = request;
    const context = { ...this.#contextOf(request), signal };
    if (era === 'legacy') return act({ ...context, ask: request.ask });
    if (SuspendedCalls.ownsState(state)) return suspended.resume(session, state, answers ?? {}, context);
    const suspendable = (call: CallContext & Required<Pick<CallContext, 'ask'>>) =>
      act({
        ...call,
        ask: async (question) => {
          request.assertCanAnswer(question);
          return call.ask(question);
        },
      });
    return suspended.start(session, suspendable, context);
  }

  /** Tells a modern server the capabilities of this very client, not those of PML. */
  #envelope(params: JsonObject, request: ClientRequest): JsonObject {
    const level = request.logLevel ?? this.logLevel;
    const own = typeof params._meta === 'object' && params._meta !== null ? params._meta : {};
    return {
      ...own,
      [ENVELOPE.capabilities]: request.capabilities,
      ...(level !== undefined && { [ENVELOPE.logLevel]: level }),
    };
  }

  #contextOf(request: ClientRequest): CallContext {
    const { session, isOneClient } = this.#options;
    const { progressToken } = request;
    const notify: CallContext['notify'] = (method, params) => {
      if (method !== 'notifications/message' || this.#wantsLog(params, request))
        request.notify(method, params);
    };
    // A server's messages also go to a legacy client that set no level; PML's own are extra, so they need one.
    const hasLevel = (request.era === 'modern' ? request.logLevel : this.logLevel) !== undefined;
    return {
      session: isOneClient ? session : `${session} ${++this.#requests}`,
      ...(progressToken !== undefined && {
        onprogress: (progress: JsonObject) =>
          request.notify('notifications/progress', { ...progress, progressToken }),
      }),
      notify,
      ...(hasLevel && {
        log: (level: string, text: string) =>
          notify('notifications/message', { level, logger: 'pml', data: text }),
      }),
    };
  }

  #wantsLog(params: JsonObject | undefined, request: ClientRequest): boolean {
    // A modern client that names no level wants no log; a legacy one gets everything until it sets a level.
    const threshold = request.era === 'modern' ? (request.logLevel ?? 'none') : (this.logLevel ?? 'debug');
    if (threshold === 'none') return false;
    return LOG_LEVELS.indexOf(String(params?.level)) >= LOG_LEVELS.indexOf(threshold);
  }
}
