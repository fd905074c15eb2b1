import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ChunkList } from '../chunk-list.ts';
import type { StreamableEndpoint } from '../gateway/index.ts';
import type { AgentEndpoints } from './agent-endpoints.ts';
import { type DirectTarget, directCallOf, directTargetOf } from './direct-request.ts';

export interface DirectListenerOptions {
  endpoint: StreamableEndpoint;
  agents: Pick<AgentEndpoints, 'opened'>;
  /** Answers all other requests. */
  fallback: RequestListener;
}

/** Answers plain tool calls to node:http directly, and leaves all other requests to the fallback. */
export function directListener({ endpoint, agents, fallback }: DirectListenerOptions): RequestListener {
  return (request, response) => {
    const target = directTargetOf(request);
    const to = target && (target.agent === undefined ? endpoint : agents.opened(target.agent));
    if (!target || !to) return fallback(request, response);
    readBody(request, (body) => {
      if (!answer(to, target, response, body)) fallback(Object.assign(request, { rawBody: body }), response);
    });
  };
}

/** Answers a request whose body has been read. Returns false if it is no plain tool call. */
function answer(
  endpoint: StreamableEndpoint,
  target: DirectTarget,
  response: ServerResponse,
  body: Buffer,
): boolean {
  let message: unknown;
  try {
    message = JSON.parse(body.toString());
  } catch {
    return false;
  }
  const call = directCallOf(target, message);
  return call !== undefined && endpoint.call(call, response);
}

/** Reads a body whose length is known. If the client goes before it has sent all of it, nobody waits for an answer. */
function readBody(request: IncomingMessage, onRead: (body: Buffer) => void): void {
  const chunks = new ChunkList();
  request.on('data', (chunk: Buffer) => chunks.add(chunk));
  request.on('end', () => onRead(chunks.joined()));
}
