import type { McpServerConfig } from '../../access/agents/index.ts';
import { listedNames } from '../../access/index.ts';
import { messageOf, PmlError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { type ConnectedClient, connect, readList } from '../../upstream/client.ts';
import type { ToolCall, ToolMessage } from '../threads/index.ts';
import { cutText, resultText } from './result-text.ts';

const START_MS = 60_000;
const MAX_DESCRIPTION = 10_000;

/** A tool as it is offered to the model. */
export interface OfferedTool {
  /** `mcp__<server>__<tool>`: unique, and in the letters that providers accept. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

interface Server {
  readonly name: string;
  readonly config: McpServerConfig;
  connection: Promise<ConnectedClient>;
}

interface Route {
  readonly server: Server;
  readonly tool: string;
}

/** The MCP servers of one run: connected, their tools listed under unique names, called, and ended. */
export class McpTools {
  readonly offered: readonly OfferedTool[];
  readonly #servers: readonly Server[];
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #signal: AbortSignal;
  readonly #stop: AbortController;

  private constructor(
    servers: readonly Server[],
    tools: readonly (OfferedTool & Route)[],
    signal: AbortSignal,
    stop: AbortController,
  ) {
    this.#servers = servers;
    this.#signal = signal;
    this.#stop = stop;
    this.offered = tools;
    this.#routes = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** Connects to all servers. If one fails, it ends the others and throws. */
  static async open(
    configs: Readonly<Record<string, McpServerConfig>>,
    signal: AbortSignal,
  ): Promise<McpTools> {
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const servers = Object.entries(configs).map(([name, config]) => ({
      name,
      config,
      connection: connectTo(name, config, either),
    }));
    try {
      const lists = await Promise.all(servers.map(listTools));
      return new McpTools(servers, named(lists.flat()), either, stop);
    } catch (error) {
      await endAll(servers, stop);
      throw error;
    }
  }

  has(name: string): boolean {
    return this.#routes.has(name);
  }

  /** Calls a tool. A failure is a result that the model reads; only a cancelled run throws. */
  async call({ id, name, input }: ToolCall, timeoutMs: number): Promise<ToolMessage> {
    const route = this.#routes.get(name) as Route;
    const result = { role: 'tool', id, name } as const;
    try {
      const { client } = await this.#connected(route.server);
      const args = { name: route.tool, arguments: input as Record<string, unknown> };
      const answer = await client.callTool(args, { signal: this.#signal, timeout: timeoutMs });
      return { ...result, text: resultText(answer), isError: answer.isError === true };
    } catch (error) {
      this.#signal.throwIfAborted();
      const why = await closeReason(route.server);
      const text = why
        ? `The server "${route.server.name}" ${why}. Call again to start it anew.`
        : messageOf(error);
      return { ...result, text: cutText(text, 0), isError: true };
    }
  }

  /** Ends all server processes and connections. */
  close(): Promise<void> {
    return endAll(this.#servers, this.#stop);
  }

  /** Returns the connection to a server; starts a server that died again. */
  async #connected(server: Server): Promise<ConnectedClient> {
    const { connection } = server;
    const connected = await connection.catch(() => undefined);
    if (connected?.client.transport) return connected;
    // Calls run side by side: another one may have started the server again meanwhile.
    if (server.connection === connection)
      server.connection = connectTo(server.name, server.config, this.#signal);
    return server.connection;
  }
}

async function connectTo(
  name: string,
  config: McpServerConfig,
  signal: AbortSignal,
): Promise<ConnectedClient> {
  let output = '';
  try {
    signal.throwIfAborted();
    return await connect({
      server: { transport: transportOf(config) },
      knownEra: undefined,
      capabilities: {},
      // The last line often says why a server does not start.
      onOutput: (line) => {
        output = line.slice(0, 500);
      },
      timeoutMs: START_MS,
      signal,
      prepare: () => {},
    });
  } catch (error) {
    signal.throwIfAborted();
    throw unusable(name, `it ${messageOf(error)}.${output && ` It said: ${output}`}`);
  }
}

function unusable(name: string, why: string): PmlError {
  return new PmlError(
    'upstream_unreachable',
    `The server of the capability "${name}" could not be used: ${why}`,
    { hint: 'Run `pml agent check` to see what the agent can reach.' },
  );
}

function transportOf(config: McpServerConfig) {
  if (config.type === 'http')
    return { kind: 'http' as const, url: config.url, headers: config.headers ?? {} };
  const { command, args = [], env = {}, cwd = process.cwd() } = config;
  return { kind: 'stdio' as const, command, args, env, cwd };
}

type ListedTool = Omit<OfferedTool, 'name'> & Route;

async function listTools(server: Server): Promise<ListedTool[]> {
  const { client } = await server.connection;
  const tools = await readList(client, 'tools', START_MS, () => {}).catch((error: unknown) => {
    throw unusable(server.name, `it did not list its tools: ${messageOf(error)}`);
  });
  return tools.map(({ name, description, inputSchema }) => ({
    server,
    tool: name as string,
    description: typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION) : '',
    inputSchema: { ...(isJsonObject(inputSchema) ? inputSchema : {}), type: 'object' },
  }));
}

function named(tools: readonly ListedTool[]): (OfferedTool & Route)[] {
  const items = tools.map(({ server, tool }) => ({ server: server.name, name: tool, prefix: true }));
  const names = listedNames(items);
  return tools.map((tool, at) => ({ ...tool, name: names[at] as string }));
}

async function closeReason({ connection }: Server): Promise<string | undefined> {
  const connected = await connection.catch(() => undefined);
  if (!connected || connected.client.transport) return undefined;
  return connected.closeReason() ?? 'closed the connection';
}

/** Ends the connected servers, and those that are still starting. */
async function endAll(servers: readonly Server[], stop: AbortController): Promise<void> {
  stop.abort();
  await Promise.all(
    servers.map(async ({ connection }) => {
      const connected = await connection.catch(() => undefined);
      await connected?.client.close().catch(() => {});
    }),
  );
}
