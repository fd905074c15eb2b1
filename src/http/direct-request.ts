import {
  isJsonContentType,
  SUPPORTED_PROTOCOL_VERSIONS,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { directToolCallOf, type HttpToolCall, MAX_MESSAGE_BYTES, MODERN_VERSION } from '../gateway/index.ts';

/** The host names under which PML is reached. */
export const ALLOWED_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** The head of an HTTP request, without its body. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
}

/** The headers that decide whether a request is answered directly, and how. */
const READ_HEADERS = [
  'host',
  'origin',
  'content-type',
  'content-length',
  'transfer-encoding',
  'accept',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
] as const;
type ReadHeaders = { [name in (typeof READ_HEADERS)[number]]?: string };
const IS_READ = new Set<string>(READ_HEADERS);

/** A request that may be answered directly, without Hono and the SDK. */
export interface DirectTarget {
  /** The agent of `/agents/:name/mcp`; undefined for `/mcp`. */
  readonly agent: string | undefined;
  /** The length of its body. */
  readonly bytes: number;
  readonly headers: ReadHeaders;
}

const AGENT_PATH = /^\/agents\/([\w-]{1,100})\/mcp$/;
const ENCODED_NAME = '=?';

/**
 * Returns the target of a request whose head allows a direct answer: a POST of JSON, of an allowed length, with an
 * allowed Host and Origin. Hono gets every other request with its body unread, and refuses it where it must.
 */
export function directTargetOf({ method, url = '', rawHeaders }: RequestHead): DirectTarget | undefined {
  const headers = method === 'POST' ? readHeaders(rawHeaders) : undefined;
  if (!headers || !isAllowedPlace(headers)) return undefined;
  const agent = url === '/mcp' ? undefined : AGENT_PATH.exec(url)?.[1];
  if (url !== '/mcp' && agent === undefined) return undefined;
  if (!isJsonContentType(headers['content-type'] ?? null)) return undefined;
  if (headers['transfer-encoding'] !== undefined) return undefined;
  const bytes = Number(headers['content-length'] ?? Number.NaN);
  return bytes > 0 && bytes <= MAX_MESSAGE_BYTES ? { agent, bytes, headers } : undefined;
}

/** The last Host that was allowed. Most clients send the same one, and parsing it as a URL is slow. */
let allowedHost: string | undefined;

/** Checks Host and Origin, as `createApp` does for all requests. */
function isAllowedPlace({ host, origin }: ReadHeaders): boolean {
  if (host !== allowedHost && validateHostHeader(host, ALLOWED_HOSTS).ok) allowedHost = host;
  return host !== undefined && host === allowedHost && validateOriginHeader(origin, ALLOWED_HOSTS).ok;
}

/**
 * Reads the headers that matter here; undefined if one of them is repeated, which Node and other programs read in different
 * ways. Node's own `headers` would read them all, which takes 4 % of a call.
 */
function readHeaders(rawHeaders: readonly string[]): ReadHeaders | undefined {
  const headers: ReadHeaders = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    if (!IS_READ.has(name)) continue;
    if (headers[name as keyof ReadHeaders] !== undefined) return undefined;
    headers[name as keyof ReadHeaders] = rawHeaders[at + 1] as string;
  }
  return headers;
}

/** Returns the tool call of a request that can be answered directly; undefined if only the SDK can answer it. */
export function directCallOf(
  { headers }: Pick<DirectTarget, 'headers'>,
  message: unknown,
): HttpToolCall | undefined {
  const call = directToolCallOf(message);
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
  if (sessionId === undefined || !streams) return undefined;
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
  return { call, sessionId, streamOnly: !accept.includes('application/json') };
}
