import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Json } from '../../src/json.ts';
import type { Tool } from './data.ts';

// biome-ignore lint/suspicious/noExplicitAny: a request is whatever the method says
type Loose = any;

/** MCP servers over HTTP, one per path, that answer each call with what is due. */
export class RecordServer {
  readonly #tools: readonly Tool[];
  readonly #http = createServer(async (request, response) => {
    const message = request.method === 'POST' ? (JSON.parse(await text(request)) as Loose) : {};
    if (message.id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
    const result = this.#answer(message, request);
    response.writeHead(200, { 'content-type': 'application/json' });
    const error = { code: -32601, message: `Method not found: ${message.method}` };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) }));
  });
  /** The answer of the next call. */
  due: Json = null;
  /** Answers a call. */
  answerTo: (call: { server: string; tool: string; args: Json }) => Json = () => this.due;

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  /** Starts to listen; returns the config entries of the servers. */
  async start(): Promise<Record<string, object>> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
    const { port } = this.#http.address() as AddressInfo;
    const names = new Set(this.#tools.map(({ server }) => server));
    return Object.fromEntries(
      [...names].map((name) => [name, { type: 'http', url: `http://127.0.0.1:${port}/${name}` }]),
    );
  }

  stop(): void {
    this.#http.closeAllConnections();
    this.#http.close();
  }

  #answer({ method, params }: Loose, { url }: IncomingMessage): object | undefined {
    if (method === 'initialize') {
      const { protocolVersion } = params;
      return { protocolVersion, serverInfo: { name: 'record', version: '1' }, capabilities: { tools: {} } };
    }
    const server = url?.slice(1) ?? '';
    if (method === 'tools/call') {
      const answer = this.answerTo({ server, tool: params.name, args: params.arguments ?? {} });
      return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
    }
    if (method !== 'tools/list') return undefined;
    const own = this.#tools.filter((tool) => tool.server === server);
    return { tools: own.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })) };
  }
}
