import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { PmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { isTooDeep } from '../../json-size.ts';
import type { ServerRequest } from '../../upstream/index.ts';

/** The keys of `_meta` by which a modern request describes its client, and a result the server. */
export const ENVELOPE = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const;

/** The capability that a client must declare to receive each request of a server. */
const NEEDED_CAPABILITY: Record<string, string> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
};
/** Long, because people answer these questions. */
const ANSWER_TIMEOUT_MS = 10 * 60_000;
const RAW = z.unknown();

/** One request of a client with its context, in the same form for either era of the protocol. */
export interface ClientRequest {
  readonly era: 'legacy' | 'modern';
  readonly signal: AbortSignal;
  readonly progressToken: string | number | undefined;
  readonly logLevel: string | undefined;
  readonly capabilities: JsonObject;
  /** The input that a modern client sends when it retries a call that asked for it. */
  readonly answers: JsonObject | undefined;
  /** The state that came with the request for input. */
  readonly state: string | undefined;
  /** The id that the run of this call is to have. */
  readonly runId?: string | undefined;
  notify(method: string, params: JsonObject | undefined): void;
  /** Sends a server's request to a legacy client. */
  ask(question: ServerRequest): Promise<JsonObject>;
  /** Throws if the client cannot be asked this. */
  assertCanAnswer(question: ServerRequest): void;
}

export function clientRequestOf(server: Server, ctx: ServerContext): ClientRequest {
  const { mcpReq } = ctx;
  const envelope = (mcpReq.envelope ?? {}) as JsonObject;
  const era = mcpReq.envelope ? 'modern' : 'legacy';
  const capabilities = ((era === 'modern'
    ? envelope[ENVELOPE.capabilities]
    : server.getClientCapabilities()) ?? {}) as JsonObject;
  return {
    era,
    signal: mcpReq.signal,
    progressToken: mcpReq._meta?.progressToken,
    logLevel: envelope[ENVELOPE.logLevel] as string | undefined,
    answers: mcpReq.inputResponses,
    state: mcpReq.requestState<string>(),
    capabilities,
    assertCanAnswer: (question) => assertCapable(capabilities, question),
    notify: (method, params) => {
      // The client may have gone or cancelled the request; then nobody is left to notify.
      mcpReq.notify({ method, params } as Parameters<typeof mcpReq.notify>[0]).catch(() => {});
    },
    ask: async (question) => {
      assertCapable(capabilities, question);
      const options = askOptions(mcpReq.signal);
      return (await mcpReq.send(question as { method: string }, RAW, options)) as JsonObject;
    },
  };
}

/** Sends a server's request to the client of a connection, as part of the client request `id`. */
export async function askClient(
  server: Server,
  question: ServerRequest,
  { id, signal, capabilities }: { id: string | number; signal: AbortSignal; capabilities: JsonObject },
): Promise<JsonObject> {
  assertCapable(capabilities, question);
  const options = { ...askOptions(signal), relatedRequestId: id };
  return (await server.request(question as { method: string }, RAW, options)) as JsonObject;
}

function askOptions(signal: AbortSignal) {
  return { timeout: ANSWER_TIMEOUT_MS, resetTimeoutOnProgress: true, signal };
}

/** Throws if a client with these capabilities cannot be asked this. */
export function assertCapable(capabilities: JsonObject, question: ServerRequest): void {
  const needed = NEEDED_CAPABILITY[question.method];
  if (!needed || !capabilities[needed]) {
    throw new PmlError('bad_request', `The client does not support ${needed ?? question.method}.`);
  }
  if (isTooDeep(question)) throw new PmlError('bad_request', 'The question is nested too deeply to be sent.');
}

/** Takes out the name of the server: a result must name the software that answers, which is PML. */
export function withoutServerInfo(result: JsonObject): JsonObject {
  const meta = result._meta;
  if (typeof meta !== 'object' || meta === null || !(ENVELOPE.serverInfo in meta)) return result;
  const { [ENVELOPE.serverInfo]: _, ...rest } = meta;
  const { _meta, ...bare } = result;
  return Object.keys(rest).length > 0 ? { ...bare, _meta: rest } : bare;
}
