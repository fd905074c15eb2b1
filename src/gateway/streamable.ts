import { randomUUID } from 'node:crypto';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Principal } from '../principal.ts';
import type { Listed } from '../upstream/index.ts';
import { listenedUris } from './connection.ts';
import { createServer, listenerOf } from './server.ts';
import type { Session } from './session.ts';
import type { Workspace } from './workspace.ts';

interface LegacySession {
  transport: WebStandardStreamableHTTPServerTransport;
  session: Session;
  lastUsed: number;
  streams: number;
}

const MAX_SESSIONS = 1000;
/** A client that vanished without a word is forgotten after this long. */
const IDLE_MS = 30 * 60_000;

/** MCP over HTTP at one address: each request by itself for 2026-07-28, sessions for older clients. */
export class StreamableEndpoint {
  readonly #workspace: Workspace;
  readonly #who: Principal;
  readonly #log: Log;
  readonly #modern: McpHttpHandler;
  /** The protocol tells modern clients apart by nothing, so one session stands for them all. */
  readonly #modernSession: Session;
  readonly #legacy = new Map<string, LegacySession>();
  readonly #sweep: NodeJS.Timeout;

  constructor(workspace: Workspace, who: Principal, log: Log) {
    this.#workspace = workspace;
    this.#who = who;
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
        createServer(this.#modernSession, log, requestInfo?.headers.get('mcp-method') ?? ''),
      { legacy: 'reject', onerror: (error) => log.debug(`http: ${error.message}`) },
    );
    this.#sweep = setInterval(() => this.#forgetIdle(), 60_000);
    this.#sweep.unref();
  }

  get sessions(): number {
    return this.#legacy.size;
  }

  /** Answers one HTTP request whose JSON body, if any, has been read. */
  async fetch(request: Request, parsedBody: unknown): Promise<Response> {
    if (await isLegacyRequest(request, parsedBody)) return this.#serveLegacy(request, parsedBody);
    const response = await this.#modern.fetch(request, { parsedBody });
    return isListen(parsedBody) ? this.#followListening(parsedBody, response) : response;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await this.#modern.close();
    await Promise.all([...this.#legacy.values()].map(({ transport }) => transport.close()));
    await this.#modernSession.close();
  }

  async #serveLegacy(request: Request, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const known = id ? this.#legacy.get(id) : undefined;
    if (known) {
      known.lastUsed = performance.now();
      return this.#countingStreams(known, await known.transport.handleRequest(request, { parsedBody }));
    }
    if (id) return refuse(404, -32001, 'Session not found: it ended or PML was restarted. Initialize again.');
    if (request.method !== 'POST')
      return refuse(400, -32000, 'Bad Request: Mcp-Session-Id header is required');
    if (!isInitialize(parsedBody)) return refuse(400, -32000, 'Bad Request: Server not initialized');
    if (this.#legacy.size >= MAX_SESSIONS) return refuse(503, -32000, 'Too many sessions are open.');
    return (await this.#openLegacy()).handleRequest(request, { parsedBody });
  }

  async #openLegacy(): Promise<WebStandardStreamableHTTPServerTransport> {
    let server: Server | undefined;
    const session = this.#workspace.open(
      this.#who,
      listenerOf(() => server),
    );
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#legacy.set(id, { transport, session, lastUsed: performance.now(), streams: 0 });
      },
    });
    server = createServer(session, this.#log);
    server.onclose = () => {
      if (transport.sessionId) this.#legacy.delete(transport.sessionId);
      session.close().catch((error) => this.#log.warn(`a session did not close well: ${messageOf(error)}`));
    };
    await server.connect(transport);
    return transport;
  }

  /** An open stream is a sign of life: its session is not idle. */
  #countingStreams(legacy: LegacySession, response: Response): Response {
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
    legacy.streams += 1;
    return onBodyEnd(response, () => {
      legacy.streams -= 1;
      legacy.lastUsed = performance.now();
    });
  }

  #forgetIdle(): void {
    for (const { transport, lastUsed, streams } of this.#legacy.values()) {
      if (streams === 0 && performance.now() - lastUsed > IDLE_MS) void transport.close();
    }
  }

  #followListening(body: Listed, response: Response): Response {
    const key = `listen:${randomUUID()}`;
    const { watches } = this.#modernSession;
    const fail = (error: unknown) => this.#log.debug(`could not follow a subscription: ${messageOf(error)}`);
    watches.addAll(key, listenedUris((body.params ?? {}) as Listed)).catch(fail);
    return onBodyEnd(response, () => void watches.drop(key).catch(fail));
  }
}

/** Calls back once when the body has been sent or the client has gone. */
function onBodyEnd(response: Response, done: () => void): Response {
  if (!response.body) {
    done();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream({
    async pull(controller) {
      const { value, done: ended } = await reader.read();
      if (!ended) return controller.enqueue(value);
      done();
      controller.close();
    },
    async cancel(reason) {
      done();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}

function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}

function isInitialize(body: unknown): boolean {
  const messages = Array.isArray(body) ? body : [body];
  return messages.some((message) => (message as Listed | null)?.method === 'initialize');
}

function isListen(body: unknown): body is Listed {
  return (body as Listed | null)?.method === 'subscriptions/listen';
}
