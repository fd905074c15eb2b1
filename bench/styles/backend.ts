import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AnyWorld, World } from './answers.ts';
import { type Loose, TOOLS } from './tools.ts';

/** A call that reached a tool. */
export interface MadeCall {
  readonly name: string;
  readonly args: Loose;
}

export function isWrite(name: string): boolean {
  const [server = '', tool = ''] = name.split(':');
  return TOOLS[server]?.[tool]?.isRead === false;
}

/** Answers the calls of one run, and notes them. */
export class WorldRun {
  readonly calls: MadeCall[] = [];
  readonly #world: AnyWorld;

  constructor(world: AnyWorld) {
    this.#world = world;
  }

  answer(name: string, args: Loose): unknown {
    this.calls.push({ name, args });
    if (this.#fails(name)) throw new Error(`failed ${name}`);
    const [server = '', tool = ''] = name.split(':');
    const found = TOOLS[server]?.[tool];
    if (!found) throw new Error(`no tool ${name}`);
    return found.answer(this.#world.startsWith('fail') ? 'base' : (this.#world as World), args);
  }

  /** `fail2` fails the second call, `failW2` the second write. */
  #fails(name: string): boolean {
    const rule = /^fail(W?)(\d|All)$/.exec(this.#world);
    if (!rule) return false;
    const [, ofWrites, at] = rule;
    if (at === 'All') return true;
    const counted = ofWrites ? this.calls.filter((call) => isWrite(call.name)) : this.calls;
    return counted.length === Number(at) && (!ofWrites || isWrite(name));
  }
}

/** MCP servers over HTTP, one per path, that answer in the world of the run. */
export class Backend {
  run = new WorldRun('base');
  readonly #http = createServer(async (request, response) => {
    const message = request.method === 'POST' ? (JSON.parse(await text(request)) as Loose) : {};
    if (message.id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
    const result = this.#answer(message, request.url?.slice(1) ?? '');
    response.writeHead(200, { 'content-type': 'application/json' });
    const error = { code: -32601, message: `Method not found: ${message.method}` };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) }));
  });

  /** Starts to listen; returns the config entries of the servers. */
  async start(): Promise<Record<string, object>> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
    const { port } = this.#http.address() as AddressInfo;
    const entry = (name: string) => ({ type: 'http', url: `http://127.0.0.1:${port}/${name}` });
    return Object.fromEntries(Object.keys(TOOLS).map((name) => [name, entry(name)]));
  }

  /** The next calls belong to a new run in this world. */
  begin(world: AnyWorld): WorldRun {
    this.run = new WorldRun(world);
    return this.run;
  }

  stop(): void {
    this.#http.closeAllConnections();
    this.#http.close();
  }

  #answer({ method, params }: Loose, server: string): object | undefined {
    if (method === 'initialize') {
      const { protocolVersion } = params;
      return { protocolVersion, serverInfo: { name: server, version: '1' }, capabilities: { tools: {} } };
    }
    if (method === 'tools/list') return { tools: Object.entries(TOOLS[server] ?? {}).map(listed) };
    if (method !== 'tools/call') return undefined;
    try {
      const value = this.run.answer(`${server}:${params.name}`, params.arguments ?? {});
      return { content: [{ type: 'text', text: JSON.stringify(value) }] };
    } catch (error) {
      return { content: [{ type: 'text', text: (error as Error).message }], isError: true };
    }
  }
}

function listed([name, { description, inputSchema, isRead }]: [string, Loose]): object {
  return { name, description, inputSchema, annotations: { readOnlyHint: isRead } };
}
