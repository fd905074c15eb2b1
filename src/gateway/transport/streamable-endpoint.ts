import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createMcpHandler, isLegacyRequest, type McpHttpHandler } from '@modelcontextprotocol/server';
import { messageOf } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { Log } from '../../log.ts';
import type { Gateway } from '../session/gateway.ts';
import { instructionsFor } from '../session/instructions.ts';
import { type NotificationSink, Session, type SessionIdentity } from '../session/session.ts';
import type { DirectCall } from './direct-call.ts';
import { HttpCalls } from './http-calls.ts';
import { LegacyHttpSessions } from './legacy-http-sessions.ts';
import { LISTEN, listenedUris } from './listen-request.ts';
import type { DirectToolCall } from './parse-direct-call.ts';
import { createServer } from './sdk-server.ts';
import { isEventStream, watchBody } from './sse-body.ts';

/** A `tools/call` over HTTP whose headers fit its message. */
export interface HttpToolCall {
  readonly call: DirectToolCall;
  /** The session that an older client names. */
  readonly sessionId: string | undefined;
  /** True if the client accepts only event streams. */
  readonly streamOnly: boolean;
}

/** MCP over HTTP at one address: each request by itself for 2026-07-28, sessions for older clients. */
export class StreamableEndpoint {
  readonly #log: Log;
  readonly #modern: McpHttpHandler;
  /** Stands for all modern clients, because the protocol does not tell them apart. */
  readonly #modernSession: Session;
  readonly #legacy: LegacyHttpSessions;
  readonly #httpCalls = new HttpCalls();
  #isClosed = false;
  /** The direct calls of modern clients that are under way. */
  readonly #modernCalls = new Set<DirectCall>();

  constructor(gateway: Gateway, identity: SessionIdentity) {
    const { log } = gateway.resources;
    this.#log = log;
    this.#modernSession = Session.open(gateway, {
      ...identity,
      notifications: notificationsByHandler(() => this.#modern),
      isOneClient: false,
    });
    this.#modern = createMcpHandler(
      async ({ requestInfo }) => {
        const method = requestInfo?.headers.get('mcp-method') ?? '';
        // Only this method tells a client the instructions.
        const isConnecting = method === 'server/discover';
        const instructions = isConnecting
          ? await instructionsFor(gateway, identity, this.#modernSession)
          : undefined;
        return createServer(gateway, () => this.#modernSession, { method, instructions });
      },
      { legacy: 'reject', onerror: (error) => log.debug(`http: ${error.message}`) },
    );
    this.#legacy = new LegacyHttpSessions(gateway, identity, this.#httpCalls);
  }

  /** Answers one HTTP request whose JSON body, if any, has been read. */
  async fetch(request: Request, parsedBody: unknown): Promise<Response> {
    if (await isLegacyRequest(request, parsedBody)) return this.#legacy.serve(request, parsedBody);
    const response = await this.#modern.fetch(request, { parsedBody });
    if (isListenRequest(parsedBody)) return this.#trackListening(parsedBody, response);
    return isEventStream(response) ? watchBody(response, () => {}) : response;
  }

  /** Answers a call to node:http directly. Returns false if only `fetch` can answer it. */
  call({ call, sessionId, streamOnly }: HttpToolCall, response: ServerResponse): boolean {
    if (call.era === 'modern') return this.#callModern(call, response, streamOnly);
    return sessionId !== undefined && this.#legacy.call(sessionId, call, response, streamOnly);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#httpCalls.close();
    for (const call of this.#modernCalls) call.cancel(new Error('Connection closed'));
    await this.#modern.close();
    await this.#legacy.close();
    await this.#modernSession.close();
  }

  #callModern(call: DirectToolCall, response: ServerResponse, streamOnly: boolean): boolean {
    if (this.#isClosed) return false;
    const side = { session: this.#modernSession, log: this.#log, server: undefined };
    const onEnd = () => {
      this.#modernCalls.delete(direct);
      // A modern client cancels a call by closing its connection.
      if (!response.writableFinished) direct.cancel(new Error('Connection closed'));
    };
    const direct = this.#httpCalls.open(call, side, { era: 'modern', streamOnly, response, onEnd });
    this.#modernCalls.add(direct);
    void direct.run(call.params);
    return true;
  }

  /** Subscribes to the resources that a `listen` request names, for as long as its stream is open. */
  #trackListening(body: JsonObject, response: Response): Response {
    const subscriber = `listen:${randomUUID()}`;
    const { subscriptions } = this.#modernSession;
    const onError = (error: unknown) =>
      this.#log.debug(`could not follow a subscription: ${messageOf(error)}`);
    subscriptions.addAll(subscriber, listenedUris((body.params ?? {}) as JsonObject)).catch(onError);
    return watchBody(response, () => void subscriptions.drop(subscriber).catch(onError));
  }
}

/** Publishes to all modern clients that listen. */
function notificationsByHandler(handler: () => McpHttpHandler): NotificationSink {
  return {
    listChanged: (list) => {
      const { notify } = handler();
      if (list === 'tools') notify.toolsChanged();
      else if (list === 'prompts') notify.promptsChanged();
      else notify.resourcesChanged();
    },
    resourceUpdated: (uri, params) => handler().bus.publish({ kind: 'resource_updated', uri, params }),
  };
}

function isListenRequest(body: unknown): body is JsonObject {
  return (body as JsonObject | null)?.method === LISTEN;
}
