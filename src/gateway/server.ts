import { ProtocolError, ProtocolErrorCode, Server, type ServerOptions } from '@modelcontextprotocol/server';
import { ERRORS, PmlError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Listed } from '../upstream/index.ts';
import { VERSION } from '../version.ts';
import { exchangeOf } from './exchange.ts';
import { type Change, type Listener, METHODS, type Session } from './session.ts';

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

/** Made anew for each server by default, at the price of a whole Ajv; PML has nothing for it to check. */
const NO_VALIDATOR: NonNullable<ServerOptions['jsonSchemaValidator']> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** The SDK's server for one connection, or for one request whose method is known. It frames the protocol; the session answers. */
export function createServer(session: Session, log: Log, method?: string): Server {
  const server = new Server(
    { name: 'pml', title: 'PML', version: VERSION },
    {
      capabilities: CAPABILITIES,
      instructions: session.workspace.instructions(),
      jsonSchemaValidator: NO_VALIDATOR,
    },
  );
  // The SDK would check and strip what servers send; PML relays it as it is, so it answers below the SDK's schemas.
  server.removeRequestHandler('logging/setLevel');
  server.onerror = (error) => log.debug(`protocol: ${error.message}`);
  // A method nobody answers must be refused by the SDK itself, which then chooses the right HTTP status.
  if (method !== undefined && !METHODS.has(method)) return server;
  server.fallbackRequestHandler = async (request, ctx) => {
    const { method } = request;
    const params = (request.params ?? {}) as Listed;
    try {
      const result = await session.answer(method, params, exchangeOf(server, ctx));
      return method === 'tools/call' ? projected(server, session, params, result) : result;
    } catch (error) {
      throw asProtocolError(error, log, method);
    }
  };
  return server;
}

/** The way unasked news reaches the client of a long-lived connection. */
export function listenerOf(server: () => Server | undefined): Listener {
  const send = (method: string, params?: Listed) => {
    // A client that has gone needs no news.
    server()
      ?.notification({ method, ...(params && { params }) } as Parameters<Server['notification']>[0])
      .catch(() => {});
  };
  return {
    listChanged: (change: Change) => send(`notifications/${change}/list_changed`),
    resourceUpdated: (_uri, params) => send('notifications/resources/updated', params),
  };
}

/** Older clients accept only objects as structured content. */
function projected(server: Server, session: Session, params: Listed, result: Listed): Listed {
  const { structuredContent } = result;
  if (structuredContent === undefined || isObject(structuredContent)) return result;
  const schema = session.tools.outputSchemaOf(String(params.name));
  return server.projectCallToolResult(result as never, schema as never) as Listed;
}

function asProtocolError(error: unknown, log: Log, method: string): Error {
  if (error instanceof PmlError) {
    const message = error.hint ? `${error.message} ${error.hint}` : error.message;
    const code =
      ERRORS[error.code] === 'caller' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    return new ProtocolError(code, message, { code: error.code });
  }
  if (error instanceof Error && Number.isSafeInteger((error as { code?: unknown }).code)) return error;
  log.error(`${method} failed inside PML: ${error instanceof Error ? error.stack : String(error)}`);
  return new ProtocolError(
    ProtocolErrorCode.InternalError,
    `PML failed at ${method}. Its log has the details.`,
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
