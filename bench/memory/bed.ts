import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Json } from '../../src/json.ts';
import type { Data } from '../learning/data.ts';
import { RecordServer } from '../plain-calls/record-server.ts';
import { httpClient, lineClient, type Result } from '../support/clients.ts';
import { Home } from '../support/home.ts';
import { NpmServers } from './npm-servers.ts';
import type { DirectCall, Use } from './procedures.ts';

interface ToolServer {
  request(method: string, params: object): Promise<Result>;
  close(): Promise<void>;
}

/** A lean PML over servers that answer from the record and over real ones, and clients that call the same servers directly. */
export class Bed {
  readonly #record: RecordServer;
  readonly npm = new NpmServers();
  readonly #direct = new Map<string, ToolServer>();
  readonly #client = new Client({ name: 'bench', version: '1' });
  readonly #home = new Home({});
  /** The calls that reached the record since the last use began. */
  #made: DirectCall[] = [];

  constructor(data: Data) {
    this.#record = new RecordServer([...data.tools.values()]);
  }

  async start(): Promise<void> {
    const recorded = await this.#record.start();
    for (const [name, { url }] of Object.entries(recorded as Record<string, { url: string }>))
      this.#direct.set(name, await httpClient(url, 'legacy'));
    for (const [name, command] of Object.entries(this.npm.commands()))
      this.#direct.set(name, await lineClient(command, 'legacy'));
    this.#home.configure({ ...recorded, ...this.npm.commands() }, { expose: 'lean' });
    await this.#client.connect(
      new StdioClientTransport({ ...this.#home.command('serve'), stderr: 'ignore' }),
    );
    for (const name of this.#direct.keys()) await this.#untilListed(name);
  }

  async close(): Promise<void> {
    await this.#client.close();
    for (const server of this.#direct.values()) await server.close();
    await this.#home.close();
    this.#record.stop();
    this.npm.close();
  }

  /** Makes the servers ready for a use: the record answers with its results, the real ones have their first files. */
  begin({ results, calls }: Use): void {
    this.npm.reset();
    this.#made = [];
    const left = calls.map((call, at) => ({ ...call, result: results?.[at] ?? null }));
    this.#record.answerTo = ({ server, tool, args }) => {
      this.#made.push({ server, tool, args: args as Record<string, Json> });
      const at = left.findIndex((one) => one.server === server && one.tool === tool);
      return at < 0 ? null : (left.splice(at, 1)[0]?.result ?? null);
    };
  }

  get made(): readonly DirectCall[] {
    return this.#made;
  }

  /** Calls a tool as a client without PML does. */
  direct({ server, tool, args }: DirectCall): Promise<Result> {
    return (this.#direct.get(server) as ToolServer).request('tools/call', { name: tool, arguments: args });
  }

  ask(name: string, args: Record<string, unknown>): Promise<Result> {
    return this.#client.callTool({ name, arguments: args });
  }

  /** The lists that clients load: the tools of all servers, and those of the lean PML. */
  async toolLists(): Promise<{ servers: object[]; pml: object[] }> {
    const servers: object[] = [];
    for (const server of this.#direct.values())
      servers.push(...(await server.request('tools/list', {})).tools);
    return { servers, pml: (await this.#client.listTools()).tools };
  }

  /** A busy machine needs a while to start its servers. */
  async #untilListed(server: string): Promise<void> {
    for (;;) {
      const { structuredContent } = await this.ask('pml_discover', { server, limit: 1 });
      if (structuredContent.total > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
