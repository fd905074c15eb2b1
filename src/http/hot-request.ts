import type { IncomingHttpHeaders } from 'node:http';
import {
  isJsonContentType,
  SUPPORTED_PROTOCOL_VERSIONS,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { type HttpToolCall, MAX_MESSAGE_BYTES, MODERN_VERSION, toolCallOf } from '../gateway/index.ts';

/** The host names under which PML is reached. */
export const ALLOWED_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** The first part of an HTTP request. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

/** Where a request goes that may be hot. */
export interface HotTarget {
  /** The agent whose endpoint it is; undefined for the endpoint of all. */
  readonly agent: string | undefined;
  /** The length of its body. */
  readonly bytes: number;
}

const AGENT_PATH = /^\/agents\/([\w-]{1,100})\/mcp$/;
const ENCODED_NAME = '=?';

/**
 * Tells by its head whether a request may be answered directly: a POST of JSON, of an allowed length, from an allowed place.
 * Hono gets every other request before anything of its body has been read, and refuses it where it must.
 */
export function hotTargetOf({ method, url = '', headers, rawHeaders }: RequestHead): HotTarget | undefined {
  if (method !== 'POST' || !isAllowedPlace(headers, rawHeaders)) return undefined;
  const agent = url === '/mcp' ? undefined : AGENT_PATH.exec(url)?.[1];
  if (url !== '/mcp' && agent === undefined) return undefined;
  if (!isJsonContentType(headers['content-type'] ?? null)) return undefined;
  if (headers['transfer-encoding'] !== undefined) return undefined;
  const bytes = Number(headers['content-length'] ?? Number.NaN);
  return bytes > 0 && bytes <= MAX_MESSAGE_BYTES ? { agent, bytes } : undefined;
}

/** The last Host that was allowed. Most clients send the same one, and to parse it as a URL takes a while. */
let allowedHost: string | undefined;

/** Checks Host and Origin, as `createApp` does for all requests. */
function isAllowedPlace({ host, origin }: IncomingHttpHeaders, rawHeaders: readonly string[]): boolean {
  if (host !== allowedHost && validateHostHeader(host, ALLOWED_HOSTS).ok) allowedHost = host;
  return (
    host !== undefined &&
    host === allowedHost &&
    validateOriginHeader(origin, ALLOWED_HOSTS).ok &&
    !hasSeveral(rawHeaders)
  );
}

/** Finds a second Host or Content-Type: Node keeps the first, and other programs the last. */
function hasSeveral(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  let types = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 12 && name.toLowerCase() === 'content-type') types += 1;
  }
  return hosts > 1 || types > 1;
}

/** Tells by head and message whether a request is a plain call that can be answered directly. The SDK answers all others. */
export function hotCallOf({ headers }: RequestHead, message: unknown): HttpToolCall | undefined {
  const call = toolCallOf(message);
  if (!call) return undefined;
  const accept = headers.accept ?? '';
  const version = headers['mcp-protocol-version'];
  const streams = accept.includes('text/event-stream');
  if (call.era === 'modern') {
    const { name } = call.params;
    const fits = version === MODERN_VERSION && headers['mcp-method'] === 'tools/call';
    if (!fits || headers['mcp-name'] !== name || name.startsWith(ENCODED_NAME)) return undefined;
    const streamOnly = streams && !accept.includes('application/json') && !accept.includes('*/*');
    return { call, sessionId: undefined, streamOnly };
  }
  const sessionId = headers['mcp-session-id'];
  if (typeof sessionId !== 'string' || !streams) return undefined;
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version as string)) return undefined;
  return { call, sessionId, streamOnly: !accept.includes('application/json') };
}
