import assert from 'node:assert/strict';
import { ROUTES } from '../../src/http/api/routes/index.ts';
import { HttpServer } from '../../src/http/index.ts';
import { type GatewayBed, type Loose, openGatewayBed } from './gateway-bed.ts';

export interface ApiAnswer {
  status: number;
  body: Loose;
  headers: Headers;
}

/** The dashboard's API over HTTP, on a gateway in this process. */
export interface ApiBed {
  readonly bed: GatewayBed;
  readonly url: string;
  /** Every answer must fit the schema that describes it. */
  get(path: string, headers?: Record<string, string>): Promise<ApiAnswer>;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  /** The body of an answer that must be 200. */
  read(path: string): Promise<Loose>;
  post(path: string, body?: unknown): Promise<Loose>;
  close(): Promise<void>;
}

export async function openApiBed(config: object, env: Record<string, string> = {}): Promise<ApiBed> {
  const bed = await openGatewayBed(config, env);
  const server = await HttpServer.open({
    gateway: bed.gateway,
    who: bed.user,
    startedAt: new Date(),
    workspaces: () => [{ id: 'test', gateway: bed.gateway }],
    longTurns: () => 0,
    ready: async () => {},
    host: '127.0.0.1',
    port: 0,
  });
  const ask = async (method: string, path: string, init: RequestInit): Promise<ApiAnswer> => {
    const response = await fetch(`${server.url}/api/v1${path}`, { method, ...init });
    const body = (await response.json()) as Loose;
    if (response.status === 200) assertFits(method, path, body);
    else assert.equal(typeof body.error.message, 'string', JSON.stringify(body));
    return { status: response.status, body, headers: response.headers };
  };
  const get: ApiBed['get'] = (path, headers = {}) => ask('GET', path, { headers });
  const { body: session } = await get('/session');
  const send: ApiBed['send'] = (method, path, body = {}, headers = {}) =>
    ask(method, path, {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'x-pml-token': session.token, ...headers },
    });
  const succeed = ({ status, body }: ApiAnswer): Loose => {
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  return {
    bed,
    url: server.url,
    get,
    send,
    read: async (path) => succeed(await get(path)),
    post: async (path, body) => succeed(await send('POST', path, body)),
    close: async () => {
      await server.close();
      await bed.close();
    },
  };
}

function assertFits(method: string, path: string, body: unknown): void {
  const [plain = ''] = path.split('?');
  const route = ROUTES.find((one) => one.method === method.toLowerCase() && pattern(one.path).test(plain));
  assert.ok(route, `${method} ${path} is no route`);
  const parsed = route.answer.safeParse(body);
  assert.ok(parsed.success, `${method} ${path}: ${parsed.error?.message}`);
}

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`);
}
