import {
  hostHeaderValidationResponse,
  isJsonContentType,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { type Context, Hono } from 'hono';
import { messageOf, PmlError } from '../errors.ts';
import { MAX_MESSAGE_BYTES, type StreamableEndpoint } from '../gateway/index.ts';
import type { Log } from '../log.ts';
import { hideSecrets } from '../secrets/index.ts';
import type { AgentEndpoints } from './agent-endpoints.ts';
import { limitBody } from './body-limit.ts';
import { ALLOWED_HOSTS } from './direct-request.ts';
import type { Metrics } from './metrics.ts';
import { SAFETY_HEADERS, serveWeb } from './web/serve-web.ts';
import { WebFiles } from './web/web-files.ts';

export interface AppOptions {
  endpoint: StreamableEndpoint;
  agents: Pick<AgentEndpoints, 'has' | 'of'>;
  metrics: Metrics;
  /** The routes of the dashboard's API. */
  api: Hono;
  web?: WebFiles;
  /** Throws while PML cannot do its work. */
  ready: () => Promise<void>;
  log: Log;
}

const BODY_LIMITS = {
  maxBytes: MAX_MESSAGE_BYTES,
  discardBytes: 4 * MAX_MESSAGE_BYTES,
  discardMs: 10_000,
};
const TOO_LARGE = errorBody(-32600, `Message too large: the limit is ${MAX_MESSAGE_BYTES} bytes`);
/** Code of a million characters is the largest that a page sends. */
const API_LIMITS = { maxBytes: 4 * 1024 * 1024, discardBytes: 16 * 1024 * 1024, discardMs: 10_000 };
const API_TOO_LARGE = {
  error: { code: 'message_too_large', message: `The body has more than ${API_LIMITS.maxBytes} bytes.` },
};
const AGENT_PATH = '/agents/:name/mcp';

/** Makes the HTTP routes: MCP, health, metrics, the dashboard and its API. */
export function createApp(options: AppOptions): Hono {
  const { endpoint, agents, metrics, api, web = new WebFiles(), ready, log } = options;
  const app = new Hono();
  // Against DNS rebinding: a web page must not reach PML through a host name that it made point to this machine.
  app.use('*', async (c, next) => {
    const refusal =
      hostHeaderValidationResponse(c.req.raw, ALLOWED_HOSTS) ??
      originValidationResponse(c.req.raw, ALLOWED_HOSTS);
    return refusal ?? next();
  });
  app.use('/mcp', limitBody(BODY_LIMITS, TOO_LARGE));
  app.all('/mcp', (c) => answerMcp(c, endpoint));
  // An unknown agent answers 404, like any unknown path.
  app.use(AGENT_PATH, (c, next) => (agents.has(c.req.param('name')) ? next() : notFound(c)));
  app.use(AGENT_PATH, limitBody(BODY_LIMITS, TOO_LARGE));
  app.all(AGENT_PATH, (c) => answerAgent(c, agents));
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    try {
      await ready();
      return c.json({ status: 'ready' });
    } catch (error) {
      return c.json({ status: 'not ready', reason: hideSecrets(messageOf(error)) }, 503);
    }
  });
  app.get('/metrics', async (c) => {
    const { type, body } = await metrics.text();
    return c.body(body, 200, { 'content-type': type });
  });
  app.use('/api/*', async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(SAFETY_HEADERS)) c.res.headers.set(name, value);
  });
  app.use('/api/*', limitBody(API_LIMITS, API_TOO_LARGE));
  app.route('/api', api);
  app.route('/', serveWeb(web));
  app.onError((error, c) => {
    log.error(`http: ${error.stack}`);
    return c.json({ error: 'PML failed at this request. Its log has the details.' }, 500);
  });
  return app;
}

async function notFound(c: Context): Promise<Response> {
  return c.notFound();
}

/** Answers a client of an agent, or says why the agent's capabilities cannot be resolved. */
async function answerAgent(c: Context, agents: AppOptions['agents']): Promise<Response> {
  try {
    return await answerMcp(c, agents.of(c.req.param('name') ?? ''));
  } catch (error) {
    if (!(error instanceof PmlError)) throw error;
    return rpcError(500, -32603, error.hint ? `${error.message} ${error.hint}` : error.message);
  }
}

async function answerMcp(c: Context, endpoint: StreamableEndpoint): Promise<Response> {
  const request = c.req.raw;
  if (request.method !== 'POST') return endpoint.fetch(request, undefined);
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return rpcError(415, -32000, 'Unsupported Media Type: Content-Type must be application/json');
  }
  let body: unknown;
  try {
    body = JSON.parse(await request.text());
  } catch {
    return rpcError(400, -32700, 'Parse error: the request body is not valid JSON');
  }
  return endpoint.fetch(request, body);
}

function rpcError(status: number, code: number, message: string): Response {
  return Response.json(errorBody(code, message), { status });
}

function errorBody(code: number, message: string): object {
  return { jsonrpc: '2.0', id: null, error: { code, message } };
}
