import { ProtocolError, ProtocolErrorCode, Server, type ServerOptions } from '@modelcontextprotocol/server';
import { ERRORS, PmlError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import type { Log } from '../../log.ts';
import { cutText, isTooDeep, MAX_JSON_NESTING } from '../../measure.ts';
import { VERSION } from '../../version.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { clientRequestOf } from '../session/client-request.ts';
import { type Change, type Listener, METHODS, type Session } from '../session/session.ts';

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

/** Errors quote what was sent, or what a server said. */
const MAX_ERROR = 50_000;

/** Made anew for each server by default, at the price of a whole Ajv; PML has nothing for it to check. */
const NO_VALIDATOR: NonNullable<ServerOptions['jsonSchemaValidator']> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/**
 * The SDK's server for one connection, or for one request whose method is known. It frames the protocol; the session, which
 * is opened when it is first asked for, answers.
 */
export function createServer(workspace: Workspace, session: () => Session, method?: string): Server {
  const { log } = workspace;
  const server = new Server(
    { name: 'pml', title: 'PML', version: VERSION },
    {
      capabilities: CAPABILITIES,
      instructions: workspace.instructions(),
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
    const params = (request.params ?? {}) as JsonObject;
    try {
      refuseDeep(params, 'invalid_arguments', 'What was sent');
      const result = await session().answer(method, params, clientRequestOf(server, ctx));
      refuseDeep(result, 'upstream_failed', 'The answer');
      return method === 'tools/call' ? projected(server, session(), params, result) : result;
    } catch (error) {
      throw asProtocolError(error, log, method);
    }
  };
  return server;
}

/** Neither transport says anything when it cannot write a message, and its sender would wait for ever. */
function refuseDeep(value: JsonObject, code: 'invalid_arguments' | 'upstream_failed', what: string): void {
  if (!isTooDeep(value)) return;
  throw new PmlError(
    code,
    `${what} is nested too deeply: more than ${MAX_JSON_NESTING} levels cannot be sent.`,
    {
      hint: 'Use flatter data, or send it as JSON in a text.',
    },
  );
}

/** The way unasked news reaches the client of a long-lived connection. */
export function listenerOf(server: () => Server | undefined): Listener {
  const send = (method: string, params?: JsonObject) => {
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
function projected(server: Server, session: Session, params: JsonObject, result: JsonObject): JsonObject {
  const { structuredContent } = result;
  if (structuredContent === undefined || isJsonObject(structuredContent)) return result;
  const schema = session.tools.outputSchemaOf(String(params.name));
  return server.projectCallToolResult(result as never, schema as never) as JsonObject;
}

function asProtocolError(error: unknown, log: Log, method: string): Error {
  if (error instanceof PmlError) {
    const message = error.hint ? `${error.message} ${error.hint}` : error.message;
    const code =
      ERRORS[error.code] === 'caller' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    return new ProtocolError(code, cutText(message, MAX_ERROR), { code: error.code });
  }
  if (isProtocolError(error)) {
    const { code, message, data } = error;
    return message.length > MAX_ERROR ? new ProtocolError(code, cutText(message, MAX_ERROR), data) : error;
  }
  log.error(`${method} failed inside PML: ${error instanceof Error ? error.stack : String(error)}`);
  return new ProtocolError(
    ProtocolErrorCode.InternalError,
    `PML failed at ${method}. Its log has the details.`,
  );
}

function isProtocolError(error: unknown): error is Error & { code: number; data?: unknown } {
  return error instanceof Error && Number.isSafeInteger((error as { code?: unknown }).code);
}
