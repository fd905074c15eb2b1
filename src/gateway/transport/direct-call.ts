import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { messageOf } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import type { Log } from '../../log.ts';
import type { ServerRequest } from '../../upstream/index.ts';
import { askClient, assertCapable, type ClientRequest, ENVELOPE } from '../session/client-request.ts';
import type { Session } from '../session/session.ts';
import { answerRequest } from './answer-request.ts';
import type { DirectToolCall } from './parse-direct-call.ts';
import { SERVER_INFO } from './sdk-server.ts';

/** Carries the answer of one call back to its client. */
export interface AnswerChannel {
  /** Sends the answer: a result or an error. Nothing follows it. */
  answer(message: JsonObject, errorCode: number | undefined): void;
  /** Sends a message that comes before the answer. */
  send(message: object): void;
  /** Ends without an answer. */
  abandon(): void;
}

/** The server side of a call. */
export interface CallSide {
  session: Session;
  log: Log;
  /** The SDK's server of the client's connection. A modern client over HTTP has none. */
  server: Server | undefined;
}

const RESOURCE_NOT_FOUND = -32002;
const TOO_LONG = 'The result is too long to be sent. Ask for less of it.';
/** Notifications of the older era, which a modern client must not get. */
const LEGACY_ONLY: ReadonlySet<string> = new Set([
  'notifications/initialized',
  'notifications/roots/list_changed',
  'notifications/tasks/status',
  'notifications/elicitation/complete',
]);

/** One `tools/call` that PML answers below the SDK. */
export class DirectCall implements ClientRequest {
  readonly era: DirectToolCall['era'];
  readonly id: string | number;
  readonly progressToken: DirectToolCall['progressToken'];
  readonly capabilities: JsonObject;
  readonly logLevel: string | undefined;
  readonly answers: undefined;
  readonly state: undefined;
  readonly #side: CallSide;
  readonly #channel: AnswerChannel;
  readonly #abort = new AbortController();
  #isAnswered = false;

  constructor(call: DirectToolCall, side: CallSide, channel: AnswerChannel) {
    const { era, id, progressToken, envelope } = call;
    this.era = era;
    this.id = id;
    this.progressToken = progressToken;
    const declared = envelope ? envelope[ENVELOPE.capabilities] : side.server?.getClientCapabilities();
    this.capabilities = (declared ?? {}) as JsonObject;
    this.logLevel = envelope?.[ENVELOPE.logLevel] as string | undefined;
    this.#side = side;
    this.#channel = channel;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  readonly ask = async (question: ServerRequest): Promise<JsonObject> => {
    const { server } = this.#side;
    if (!server) throw new Error('A modern client is asked by the answer.');
    return askClient(server, question, this);
  };

  notify(method: string, params: JsonObject | undefined): void {
    const { server } = this.#side;
    const notification = { method, params };
    if (!server) {
      if (!LEGACY_ONLY.has(method)) this.send({ jsonrpc: '2.0', ...notification });
      return;
    }
    // Sending fails when the call has ended, and then does not matter.
    server
      .notification(notification as Parameters<Server['notification']>[0], { relatedRequestId: this.id })
      .catch(() => {});
  }

  /** Sends a message that belongs to this call. */
  send(message: object): void {
    if (!this.signal.aborted) this.#channel.send(message);
  }

  assertCanAnswer(question: ServerRequest): void {
    assertCapable(this.capabilities, question);
  }

  /** Ends the call without an answer: its client has cancelled it or has gone. An answer that is being sent is sent whole. */
  cancel(reason: unknown): void {
    if (this.signal.aborted || this.#isAnswered) return;
    this.#abort.abort(reason);
    this.#channel.abandon();
  }

  /** Answers the call. Never rejects. */
  async run(params: JsonObject): Promise<void> {
    try {
      await this.#answer(params);
    } catch (error) {
      // Only a result that is too long to be written as JSON comes here.
      this.#side.log.error(`tools/call could not be answered: ${messageOf(error)}`);
      const tooLong = new ProtocolError(ProtocolErrorCode.InternalError, TOO_LONG);
      this.#send(errorAnswer(this.id, tooLong), ProtocolErrorCode.InternalError);
    }
  }

  async #answer(params: JsonObject): Promise<void> {
    const { session, log } = this.#side;
    let result: JsonObject;
    try {
      result = await answerRequest(log, session, 'tools/call', params, this);
    } catch (error) {
      if (this.signal.aborted) return;
      const answer = errorAnswer(this.id, error);
      this.#send(answer, answer.error.code);
      return;
    }
    if (this.signal.aborted) return;
    const encoded = this.era === 'modern' ? modernResult(result) : result;
    this.#send({ result: encoded, jsonrpc: '2.0', id: this.id }, undefined);
  }

  #send(message: JsonObject, errorCode: number | undefined): void {
    this.#channel.answer(message, errorCode);
    this.#isAnswered = true;
  }
}

/** Adds the fields that every modern result must have. */
function modernResult(result: JsonObject): JsonObject {
  const typed = result.resultType === undefined ? { ...result, resultType: 'complete' } : result;
  const meta = typed._meta ?? {};
  // An invalid `_meta` is relayed as it is.
  if (!isJsonObject(meta)) return typed;
  return { ...typed, _meta: { ...meta, [ENVELOPE.serverInfo]: SERVER_INFO } };
}

function errorAnswer(id: string | number, error: unknown) {
  const { code, message, data } = error as { code: number; message: string; data?: unknown };
  const sent = code === RESOURCE_NOT_FOUND ? ProtocolErrorCode.InvalidParams : code;
  return { jsonrpc: '2.0', id, error: { code: sent, message, ...(data !== undefined && { data }) } };
}
