import { randomUUID } from 'node:crypto';
import { createMcpHandler, isLegacyRequest, type McpHttpHandler } from '@modelcontextprotocol/server';
import { messageOf } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { Log } from '../../log.ts';
import type { Principal } from '../../principal.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Session } from '../session/session.ts';
import { HttpSessions, isStream } from './http-sessions.ts';
import { createServer } from './sdk-server.ts';
import { listenedUris } from './serve-connection.ts';
import { watchBody } from './sse-body.ts';

/** MCP over HTTP at one address: each request by itself for 2026-07-28, sessions for older clients. */
export class StreamableEndpoint {
  readonly #log: Log;
  readonly #modern: McpHttpHandler;
  /** The protocol tells modern clients apart by nothing, so one session stands for them all. */
  readonly #modernSession: Session;
  readonly #legacy: HttpSessions;

  constructor(workspace: Workspace, who: Principal, log: Log) {
    this.#log = log;
    this.#modernSession = workspace.open(
      who,
      {
        listChanged: (change) => {
          if (change === 'tools') this.#modern.notify.toolsChanged();
          else if (change === 'prompts') this.#modern.notify.promptsChanged();
          else this.#modern.notify.resourcesChanged();
        },
        resourceUpdated: (uri, params) => this.#modern.bus.publish({ kind: 'resource_updated', uri, params }),
      },
      false,
    );
    this.#modern = createMcpHandler(
      ({ requestInfo }) =>
        createServer(workspace, () => this.#modernSession, requestInfo?.headers.get('mcp-method') ?? ''),
      { legacy: 'reject', onerror: (error) => log.debug(`http: ${error.message}`) },
    );
    this.#legacy = new HttpSessions(workspace, who);
  }

  /** Answers one HTTP request whose JSON body, if any, has been read. */
  async fetch(request: Request, parsedBody: unknown): Promise<Response> {
    if (await isLegacyRequest(request, parsedBody)) return this.#legacy.serve(request, parsedBody);
    const response = await this.#modern.fetch(request, { parsedBody });
    if (isListen(parsedBody)) return this.#followListening(parsedBody, response);
    return isStream(response) ? watchBody(response, () => {}) : response;
  }

  async close(): Promise<void> {
    await this.#modern.close();
    await this.#legacy.close();
    await this.#modernSession.close();
  }

  #followListening(body: JsonObject, response: Response): Response {
    const key = `listen:${randomUUID()}`;
    const { watches } = this.#modernSession;
    const fail = (error: unknown) => this.#log.debug(`could not follow a subscription: ${messageOf(error)}`);
    watches.addAll(key, listenedUris((body.params ?? {}) as JsonObject)).catch(fail);
    return watchBody(response, () => void watches.drop(key).catch(fail));
  }
}

function isListen(body: unknown): body is JsonObject {
  return (body as JsonObject | null)?.method === 'subscriptions/listen';
}
