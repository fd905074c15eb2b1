import { Server, type ServerOptions } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../json.ts';
import type { Log } from '../../log.ts';
import { VERSION } from '../../version.ts';
import type { ListName } from '../../workspace/index.ts';
import { clientRequestOf } from '../session/client-request.ts';
import type { Gateway } from '../session/gateway.ts';
import { METHODS, type NotificationSink, type Session } from '../session/session.ts';
import { answerRequest } from './answer-request.ts';

/** How PML names itself in every answer. */
export const SERVER_INFO = { name: 'pml', title: 'PML', version: VERSION };

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

/** By default the SDK makes a whole Ajv for each server. PML has nothing for it to validate. */
const NO_VALIDATOR: NonNullable<ServerOptions['jsonSchemaValidator']> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

export interface ServerFacts {
  /** The instructions for the model when the client connects. */
  instructions?: string | undefined;
  /** The method, if the server answers a single request. */
  method?: string;
  /** Called with each request that the session answers. */
  onRequest?: () => void;
}

/**
 * Makes the SDK's server for one connection, or for one request whose method is known. The server frames the protocol; the
 * session answers. `session` is called with the first request, and may open the session only then.
 */
export function createServer(
  gateway: Gateway,
  session: () => Session,
  { instructions, method, onRequest }: ServerFacts = {},
): Server {
  const { log } = gateway.resources;
  const server = createBareServer(log, CAPABILITIES, instructions);
  // The SDK itself must refuse unknown methods, because it then chooses the right HTTP status.
  if (method !== undefined && !METHODS.has(method)) return server;
  server.fallbackRequestHandler = async (request, ctx) => {
    const params = (request.params ?? {}) as JsonObject;
    onRequest?.();
    return answerRequest(log, session(), request.method, params, clientRequestOf(server, ctx));
  };
  return server;
}

/** Makes an SDK server that answers only the methods of the protocol itself. */
export function createBareServer(
  log: Log,
  capabilities: ServerOptions['capabilities'] & object,
  instructions: string | undefined,
): Server {
  const server = new Server(SERVER_INFO, {
    capabilities,
    ...(instructions !== undefined && { instructions }),
    jsonSchemaValidator: NO_VALIDATOR,
  });
  // The SDK's handlers strip fields that its schemas do not know. PML relays everything, so it answers below them.
  server.removeRequestHandler('logging/setLevel');
  server.onerror = (error) => log.debug(`protocol: ${error.message}`);
  return server;
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
