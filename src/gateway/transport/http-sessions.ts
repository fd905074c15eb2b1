import { randomUUID } from 'node:crypto';
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { messageOf } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { Log } from '../../log.ts';
import type { Principal } from '../../principal.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Session } from '../session/session.ts';
import { createServer, listenerOf } from './sdk-server.ts';
import { watchBody } from './sse-body.ts';

interface HttpSession {
  transport: WebStandardStreamableHTTPServerTransport;
  lastUsed: number;
  /** Its client has come back since it was opened. */
  used: boolean;
  /** Answers and news that are being sent. */
  streams: number;
}

const MAX_SESSIONS = 1000;
/** A client that vanished without a word is forgotten after this long. */
const IDLE_MS = 30 * 60_000;
/** A client says at once that it has initialized; one that never did has left. */
const UNUSED_MS = 60_000;

/** The sessions of clients that speak the older protocol over HTTP. */
export class HttpSessions {
  readonly #workspace: Workspace;
  readonly #who: Principal;
  readonly #log: Log;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #sweep: NodeJS.Timeout;

  constructor(workspace: Workspace, who: Principal) {
    this.#workspace = workspace;
    this.#who = who;
    this.#log = workspace.log;
    this.#sweep = setInterval(() => this.#forgetIdle(), 60_000);
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
      return this.#countingStreams(known, await known.transport.handleRequest(request, { parsedBody }));
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
      // It was refused.
      if (!transport.sessionId) await transport.close();
    }
  }

  /** The session is opened, and with it servers of its own, when the transport has taken the request for good. */
  async #open(): Promise<WebStandardStreamableHTTPServerTransport> {
    let session: Session | undefined;
    const opened = () => {
      session ??= this.#workspace.open(
        this.#who,
        listenerOf(() => server),
      );
      return session;
    };
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        opened();
        // A newcomer takes the place of another, whose client is told to initialize again when it comes back.
        if (this.#sessions.size >= MAX_SESSIONS) void this.#longestIdle()?.transport.close();
        this.#sessions.set(id, { transport, lastUsed: performance.now(), used: false, streams: 0 });
      },
    });
    const server: Server = createServer(this.#workspace, opened);
    server.onclose = () => {
      if (transport.sessionId) this.#sessions.delete(transport.sessionId);
      session?.close().catch((error) => this.#log.warn(`a session did not close well: ${messageOf(error)}`));
    };
    await server.connect(transport);
    return transport;
  }

  /** Whoever has been idle the longest; before all others those who never came back after they had initialized. */
  #longestIdle(): HttpSession | undefined {
    const idle = [...this.#sessions.values()].filter(({ streams }) => streams === 0);
    return idle.sort((a, b) => Number(a.used) - Number(b.used) || a.lastUsed - b.lastUsed)[0];
  }

  /** An open stream is a sign of life: its session is not idle. */
  #countingStreams(session: HttpSession, response: Response): Response {
    if (!isStream(response)) return response;
    session.streams += 1;
    return watchBody(response, () => {
      session.streams -= 1;
      session.lastUsed = performance.now();
    });
  }

  #forgetIdle(): void {
    for (const { transport, lastUsed, used, streams } of this.#sessions.values()) {
      const patience = used ? IDLE_MS : UNUSED_MS;
      if (streams === 0 && performance.now() - lastUsed > patience) void transport.close();
    }
  }
}

/** Whether a response is a stream of events: news, or the answer to a call. */
export function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}

function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}

/** One that asks for no answer is none: its session would be known to nobody. */
function isInitialize(body: unknown): boolean {
  const messages = (Array.isArray(body) ? body : [body]) as (JsonObject | null)[];
  return messages.some((message) => message?.method === 'initialize' && message.id !== undefined);
}
