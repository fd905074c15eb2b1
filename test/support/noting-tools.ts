import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Loose } from './gateway-bed.ts';

/** A tool of the server: its arguments, and its answer to them. Tools whose names begin with a verb of reading only read. */
export type NotedTool = (args: Loose) => unknown;

export interface NotedCall {
  readonly name: string;
  readonly args: Loose;
}

/** MCP servers over HTTP, one per name, that note every call. Any JSON is a valid argument. */
export class NotingTools {
  readonly calls: NotedCall[] = [];
  readonly #tools: Record<string, Record<string, NotedTool>>;
  readonly #http = createServer(async (request, response) => {
    const message = request.method === 'POST' ? (JSON.parse(await text(request)) as Loose) : {};
    if (message.id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
    const result = this.#answer(message, request.url?.slice(1) ?? '');
    response.writeHead(200, { 'content-type': 'application/json' });
    const error = { code: -32601, message: `Method not found: ${message.method}` };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) }));
  });

  constructor(tools: Record<string, Record<string, NotedTool>>) {
    this.#tools = tools;
  }

  /** Starts to listen; returns the config entries of the servers. */
  async start(): Promise<Record<string, object>> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
    const { port } = this.#http.address() as AddressInfo;
    const entry = (name: string) => ({ type: 'http', url: `http://127.0.0.1:${port}/${name}` });
    return Object.fromEntries(Object.keys(this.#tools).map((name) => [name, entry(name)]));
  }

  stop(): void {
    this.#http.closeAllConnections();
    this.#http.close();
  }

  /** The calls since it was last asked. */
  take(): NotedCall[] {
    return this.calls.splice(0);
  }

  #answer({ method, params }: Loose, server: string): object | undefined {
    const tools = this.#tools[server] ?? {};
    if (method === 'initialize')
      return {
        protocolVersion: params.protocolVersion,
        serverInfo: { name: server, version: '1' },
        capabilities: { tools: {} },
      };
    if (method === 'tools/list') return { tools: Object.keys(tools).map(listed) };
    if (method !== 'tools/call') return undefined;
    const args = params.arguments ?? {};
    this.calls.push({ name: `${server}:${params.name}`, args });
    try {
      return { content: [{ type: 'text', text: JSON.stringify(tools[params.name]?.(args) ?? null) }] };
    } catch (error) {
      return { content: [{ type: 'text', text: (error as Error).message }], isError: true };
    }
  }
}

function listed(name: string): object {
  const readOnlyHint = /^(?:get|list|read|find|fetch)/.test(name);
  return { name, description: name, inputSchema: { type: 'object' }, annotations: { readOnlyHint } };
}
