import { ProtocolError, ProtocolErrorCode, Server, type ServerOptions } from '@modelcontextprotocol/server';
import { ERRORS, PmlError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import type { Log } from '../../log.ts';
import { cutText, isTooDeep, MAX_JSON_NESTING } from '../../measure.ts';
import { VERSION } from '../../version.ts';
import type { ListName } from '../../workspace/index.ts';
import { clientRequestOf } from '../session/client-request.ts';
import type { Gateway } from '../session/gateway.ts';
import { METHODS, type NotificationSink, type Session } from '../session/session.ts';

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

/** Errors may quote a whole request, or a whole answer of a server. */
const MAX_ERROR = 50_000;

/** By default the SDK makes a whole Ajv for each server. PML has nothing for it to validate. */
const NO_VALIDATOR: NonNullable<ServerOptions['jsonSchemaValidator']> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

export interface ServerFacts {
  /** What the model is told when the client connects. */
  instructions?: string | undefined;
  /** The method, if the server answers one request alone. */
  method?: string;
}

/**
 * Makes the SDK's server for one connection, or for one request whose method is known. The server frames the protocol; the
 * session answers. `session` is called with the first request, and may open the session only then.
 */
export function createServer(
  gateway: Gateway,
  session: () => Session,
  { instructions, method }: ServerFacts = {},
): Server {
  const { log } = gateway.resources;
  const server = new Server(
    { name: 'pml', title: 'PML', version: VERSION },
    {
      capabilities: CAPABILITIES,
      ...(instructions !== undefined && { instructions }),
      jsonSchemaValidator: NO_VALIDATOR,
    },
  );
  // The SDK's handlers strip fields that its schemas do not know. PML relays everything, so it answers below them.
  server.removeRequestHandler('logging/setLevel');
  server.onerror = (error) => log.debug(`protocol: ${error.message}`);
  // The SDK itself must refuse unknown methods, because it then chooses the right HTTP status.
  if (method !== undefined && !METHODS.has(method)) return server;
  server.fallbackRequestHandler = async (request, ctx) => {
    const { method } = request;
    const params = (request.params ?? {}) as JsonObject;
    try {
      refuseDeep(params, 'invalid_arguments', 'What was sent');
      const result = await session().answer(method, params, clientRequestOf(server, ctx));
      refuseDeep(result, 'upstream_failed', 'The answer');
      return method === 'tools/call' ? forClient(server, session(), params, result) : result;
    } catch (error) {
      throw asProtocolError(error, log, method);
    }
  };
  return server;
}

/** Refuses data that the transports cannot write: they would drop it silently, and its sender would wait for ever. */
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

/** Sends notifications over the long-lived connection of one client. */
export function notificationsBy(server: () => Server | undefined): NotificationSink {
  const send = (method: string, params?: JsonObject) => {
    // Sending fails when the client has gone, and then does not matter.
    server()
      ?.notification({ method, ...(params && { params }) } as Parameters<Server['notification']>[0])
      .catch(() => {});
  };
  return {
    listChanged: (list: ListName) => send(`notifications/${list}/list_changed`),
    resourceUpdated: (_uri, params) => send('notifications/resources/updated', params),
  };
}

/** Fits structured content to the client's era: older clients accept only objects. */
function forClient(server: Server, session: Session, params: JsonObject, result: JsonObject): JsonObject {
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
