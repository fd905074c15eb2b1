import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  type Server,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { messageOf } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { Gateway } from '../session/gateway.ts';
import { instructionsFor } from '../session/instructions.ts';
import { Session, type SessionIdentity } from '../session/session.ts';
import type { HttpCalls } from './http-calls.ts';
import type { DirectToolCall } from './parse-direct-call.ts';
import { PendingCalls } from './pending-calls.ts';
import { createServer, notificationsBy } from './sdk-server.ts';
import { isEventStream, watchBody } from './sse-body.ts';

interface LegacyHttpSession {
  transport: SessionTransport;
  server: Server;
  session: Session;
  lastUsed: number;
  /** True once its client has sent another request. */
  used: boolean;
  /** How many event streams are open. */
  openStreams: number;
}

const MAX_SESSIONS = 1000;
/** After this long without a request, a client counts as gone. */
const IDLE_MS = 30 * 60_000;
/** Clients confirm their initialization at once. One that has not within this time counts as gone. */
const UNUSED_MS = 60_000;

/** The sessions of clients that speak the older protocol over HTTP. */
export class LegacyHttpSessions {
  readonly #gateway: Gateway;
  readonly #identity: SessionIdentity;
  readonly #sessions = new Map<string, LegacyHttpSession>();
  readonly #httpCalls: HttpCalls;
  readonly #sweep: NodeJS.Timeout;

  constructor(gateway: Gateway, identity: SessionIdentity, httpCalls: HttpCalls) {
    this.#httpCalls = httpCalls;
    this.#gateway = gateway;
    this.#identity = identity;
    this.#sweep = setInterval(() => this.#closeIdle(), 60_000);
    this.#sweep.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  /** Answers one request of an older client whose JSON body, if any, has been read. */
  async serve(request: Request, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const known = id ? this.#sessions.get(id) : undefined;
    if (known) {
      known.lastUsed = performance.now();
      known.used = true;
      return this.#countStream(known, await known.transport.handleRequest(request, { parsedBody }));
    }
    if (id) return refuse(404, -32001, 'Session not found: it ended or PML was restarted. Initialize again.');
    if (request.method !== 'POST')
      return refuse(400, -32000, 'Bad Request: Mcp-Session-Id header is required');
    if (!isInitialize(parsedBody)) return refuse(400, -32000, 'Bad Request: Server not initialized');
    if (this.#sessions.size >= MAX_SESSIONS && !this.#longestIdle())
      return refuse(503, -32000, 'Too many sessions are open, and all of them are in use.');
    const transport = await this.#open();
    try {
      return await transport.handleRequest(request, { parsedBody });
    } finally {
      // If there is no session id, the transport refused the request.
      if (!transport.sessionId) await transport.close();
    }
  }

  /** Answers a call to node:http directly. Returns false if the session is unknown or the call's id is in use. */
  call(id: string, call: DirectToolCall, response: ServerResponse, streamOnly: boolean): boolean {
    const known = this.#sessions.get(id);
    if (!known || known.transport.calls.get(call.id)) return false;
    const { session, server, transport } = known;
    known.lastUsed = performance.now();
    known.used = true;
    known.openStreams += 1;
    const onEnd = () => {
      known.openStreams -= 1;
      known.lastUsed = performance.now();
    };
    const side = { session, server, log: this.#gateway.resources.log };
    // A client of this era may lose its connection without wanting to cancel the call.
    const direct = this.#httpCalls.open(call, side, {
      era: 'legacy',
      sessionId: id,
      streamOnly,
      response,
      onEnd,
    });
    void transport.calls.run(direct, call.params);
    return true;
  }

  /** Opens the session, and its own servers, only when the transport has accepted the request. */
  async #open(): Promise<SessionTransport> {
    let session: Session | undefined;
    const opened = () => {
      session ??= Session.open(this.#gateway, {
        ...this.#identity,
        notifications: notificationsBy(() => server),
      });
      return session;
    };
    const transport = new SessionTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        const shared = { transport, server, session: opened() };
        // A new session replaces an idle one, whose client is told to initialize again when it comes back.
        if (this.#sessions.size >= MAX_SESSIONS) void this.#longestIdle()?.transport.close();
        this.#sessions.set(id, { ...shared, lastUsed: performance.now(), used: false, openStreams: 0 });
      },
    });
    const instructions = await instructionsFor(this.#gateway, this.#identity, undefined);
    const server: Server = createServer(this.#gateway, opened, { instructions });
    server.onclose = () => {
      if (transport.sessionId) this.#sessions.delete(transport.sessionId);
      const { log } = this.#gateway.resources;
      session?.close().catch((error) => log.warn(`a session did not close well: ${messageOf(error)}`));
    };
    await server.connect(transport);
    transport.watchCancellations();
    return transport;
  }

  /** Finds the session that has been idle longest. Sessions whose client sent no second request come first. */
  #longestIdle(): LegacyHttpSession | undefined {
    const idle = [...this.#sessions.values()].filter(({ openStreams }) => openStreams === 0);
    return idle.sort((a, b) => Number(a.used) - Number(b.used) || a.lastUsed - b.lastUsed)[0];
  }

  /** Counts an event stream while it is open: its session is not idle. */
  #countStream(session: LegacyHttpSession, response: Response): Response {
    if (!isEventStream(response)) return response;
    session.openStreams += 1;
    return watchBody(response, () => {
      session.openStreams -= 1;
      session.lastUsed = performance.now();
    });
  }

  #closeIdle(): void {
    for (const { transport, lastUsed, used, openStreams } of this.#sessions.values()) {
      const maxIdle = used ? IDLE_MS : UNUSED_MS;
      if (openStreams === 0 && performance.now() - lastUsed > maxIdle) void transport.close();
    }
  }
}

/** The SDK's transport of one session, which also knows the calls that are answered without it. */
class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly calls = new PendingCalls();

  /** Sends the messages of a direct call on that call's own connection. */
  override async send(...[message, options]: Parameters<Transport['send']>): Promise<void> {
    const id = options?.relatedRequestId;
    const call = id === undefined ? undefined : this.calls.get(id);
    if (call) call.send(message);
    else await super.send(message, options);
  }

  override async close(): Promise<void> {
    this.calls.cancelAll();
    await super.close();
  }

  watchCancellations(): void {
    const deliver = this.onmessage;
    this.onmessage = (message, extra) => {
      if (!('method' in message && this.calls.cancelBy(message))) deliver?.(message, extra);
    };
  }
}

function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}

/** True for an initialize request with an id. Without one it gets no answer, so nobody would learn the session id. */
function isInitialize(body: unknown): boolean {
  const messages = (Array.isArray(body) ? body : [body]) as (JsonObject | null)[];
  return messages.some((message) => message?.method === 'initialize' && message.id !== undefined);
}
