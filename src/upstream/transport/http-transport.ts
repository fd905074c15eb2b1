import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  parseJSONRPCMessage,
  StreamableHTTPClientTransport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import type { Pool } from 'undici';
import { isJsonObject } from '../../json.ts';
import { CallResponse } from './call-response.ts';
import type { HttpLimits } from './http-limits.ts';
import { encodeHeaderValue } from './param-headers.ts';

/** Only fetch uses proxies. */
const USES_PROXY = process.env.NODE_USE_ENV_PROXY === '1' || process.execArgv.includes('--use-env-proxy');

/**
 * The SDK's transport, with calls of tools sent through undici itself: fetch takes five times as long for a small request. A
 * response other than a plain answer is handed to the SDK as if fetch had received it.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  readonly #url: URL;
  readonly #limits: HttpLimits;
  readonly #headers: Record<string, string>;
  #pool: Pool | undefined;

  constructor(url: URL, headers: Record<string, string>, limits: HttpLimits) {
    super(url, { requestInit: { headers }, fetch: limits.fetch });
    this.#url = url;
    this.#limits = limits;
    this.#headers = commonHeaders(headers);
  }

  override async start(): Promise<void> {
    await super.start();
    if (USES_PROXY) return;
    const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
    this.#pool = new Pool(this.#url.origin);
  }

  override send(message: JSONRPCMessage | JSONRPCMessage[], options?: TransportSendOptions): Promise<void> {
    if (this.#pool && isCall(message) && !options?.resumptionToken)
      return this.#call(this.#pool, message, options ?? {});
    return super.send(message, options);
  }

  override async close(): Promise<void> {
    await super.close();
    void this.#pool?.destroy().catch(() => {});
  }

  #call(pool: Pool, message: JSONRPCRequest, options: TransportSendOptions): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const signal = options.requestSignal;
    const response = new CallResponse({
      body: this.#limits.holdBody(),
      signal,
      onBody: (text) => {
        const answer = JSON.parse(text);
        this.#limits.receive(isAnswerTo(message, answer) ? answer : parseJSONRPCMessage(answer), text.length);
        resolve();
      },
      onEvent: (text) => {
        const answer = parsed(text);
        if (!isAnswerTo(message, answer)) return false;
        this.#limits.receive(answer, text.length);
        resolve();
        return true;
      },
      onOther: (arrived) => {
        const headers = { ...options.headers, ...this.#limits.handOver(arrived) };
        super.send(message, { ...options, headers }).then(resolve, reject);
      },
      onError: (error) => {
        if (!signal?.aborted) this.onerror?.(error as Error);
        reject(error);
      },
    });
    const { pathname, search } = this.#url;
    const headers = this.#headersOf(message, options);
    pool.dispatch(
      { path: pathname + search, method: 'POST', headers, body: JSON.stringify(message) },
      response,
    );
    return promise;
  }

  #headersOf({ method, params }: JSONRPCRequest, options: TransportSendOptions): Record<string, string> {
    const headers = { ...this.#headers };
    if (this.sessionId) headers['mcp-session-id'] = this.sessionId;
    if (this.protocolVersion) headers['mcp-protocol-version'] = this.protocolVersion;
    const version = params?._meta?.[PROTOCOL_VERSION_META_KEY];
    if (typeof version === 'string') {
      headers['mcp-protocol-version'] = version;
      headers['mcp-method'] = method;
      if (typeof params?.name === 'string') headers['mcp-name'] = encodeHeaderValue(params.name);
    }
    for (const name in options.headers) headers[name.toLowerCase()] = options.headers[name] as string;
    return headers;
  }
}

/** Decides which messages are sent past the SDK. */
function isCall(message: JSONRPCMessage | JSONRPCMessage[]): message is JSONRPCRequest {
  return 'method' in message && message.method === 'tools/call' && 'id' in message;
}

/** The headers of every call, as the SDK and fetch send them. */
function commonHeaders(configured: Record<string, string>): Record<string, string> {
  const headers = new Headers({
    'accept-language': '*',
    'accept-encoding': 'gzip, deflate',
    'user-agent': 'node',
    ...Object.fromEntries(new Headers(configured)),
  });
  headers.set('content-type', 'application/json');
  const accepted =
    headers
      .get('accept')
      ?.split(',')
      .map((type) => type.trim().toLowerCase()) ?? [];
  headers.set('accept', [...new Set([...accepted, 'application/json', 'text/event-stream'])].join(', '));
  return Object.fromEntries(headers);
}

/** Returns whether this is plainly the answer to the request. The SDK judges everything else. */
function isAnswerTo({ id }: JSONRPCRequest, answer: unknown): answer is JSONRPCMessage {
  if (!isJsonObject(answer) || answer.jsonrpc !== '2.0' || answer.id !== id || 'method' in answer)
    return false;
  return isJsonObject(answer.result) && !('error' in answer);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
