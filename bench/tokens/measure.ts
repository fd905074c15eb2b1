import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { NpmServers } from '../memory/npm-servers.ts';
import { tokensOf } from '../memory/token-count.ts';
import { RecordServer } from '../plain-calls/record-server.ts';
import type { Command } from '../support/clients.ts';
import { Home } from '../support/home.ts';
import { recordedServers } from './real-servers.ts';

/** The tokens that a client loads before it has done anything. */
export interface Loaded {
  way: string;
  tools: number;
  tokens: number;
}

export interface Measured {
  servers: number;
  loaded: Loaded[];
}

/** The ways to list tools, as settings of PML. */
export const WAYS: Record<string, object> = {
  all: {},
  'all, short names': { names: { listed: 'short' } },
  auto: { expose: 'auto' },
  'auto, short names': { expose: 'auto', names: { listed: 'short' } },
  lean: { expose: 'lean' },
};
/** The ways that PML had before. */
export const FORMER_WAYS = ['all', 'lean'];

interface ListedTool {
  name: string;
  description?: string;
  inputSchema: object;
}

/** Measures this many real servers, connected directly and through PML in each way. */
export async function measure(servers: number, ways: readonly string[]): Promise<Measured> {
  const npm = new NpmServers();
  const record = new RecordServer(recordedServers(servers - Object.keys(npm.commands()).length));
  const entries = { ...npm.commands(), ...(await record.start()) };
  try {
    const direct = await connectedDirectly(entries);
    const loaded = [direct];
    for (const way of ways) loaded.push(await throughPml(way, entries, direct.tools));
    return { servers: Object.keys(entries).length, loaded };
  } finally {
    record.stop();
    npm.close();
  }
}

async function connectedDirectly(entries: Record<string, object>): Promise<Loaded> {
  const all: Loaded = { way: 'direct', tools: 0, tokens: 0 };
  for (const [name, entry] of Object.entries(entries)) {
    const { tools, instructions } = await listOf(entry as ServerEntry);
    all.tools += tools.length;
    all.tokens += tokensLoaded(name, tools) + tokensOf(instructions);
  }
  return all;
}

async function throughPml(way: string, entries: Record<string, object>, expected: number): Promise<Loaded> {
  const home = new Home(entries, WAYS[way]);
  try {
    await untilAllListed(home, Object.keys(entries), expected);
    const { tools, instructions } = await listOf(home.command('serve'));
    return { way, tools: tools.length, tokens: tokensLoaded('pml', tools) + tokensOf(instructions) };
  } finally {
    await home.close();
  }
}

type ServerEntry = Command | { url: string };

/** Connects to a server, lists its tools, and leaves. */
async function listOf(entry: ServerEntry): Promise<{ tools: ListedTool[]; instructions: string }> {
  const client = await connect(entry);
  const { tools } = await client.listTools();
  const instructions = client.getInstructions() ?? '';
  await client.close();
  return { tools: tools as ListedTool[], instructions };
}

async function connect(entry: ServerEntry): Promise<Client> {
  // Some servers list more tools to clients that support sampling, elicitation or roots.
  const capabilities = { sampling: {}, elicitation: { form: {} }, roots: {} };
  const client = new Client({ name: 'bench', version: '1' }, { capabilities });
  await client.connect(
    'url' in entry
      ? new StreamableHTTPClientTransport(new URL(entry.url))
      : new StdioClientTransport({ ...entry, stderr: 'ignore' }),
  );
  return client;
}

/** Waits until PML knows the tools of all servers. */
async function untilAllListed(home: Home, servers: readonly string[], expected: number): Promise<void> {
  const client = await connect(home.command('serve'));
  try {
    for (;;) {
      let known = 0;
      for (const server of servers) {
        const asked = { name: 'pml_discover', arguments: { server, limit: 1 } };
        const { structuredContent } = await client.callTool(asked);
        known += (structuredContent as { total?: number }).total ?? 0;
      }
      if (known >= expected) return;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  } finally {
    await client.close();
  }
}

/** Counts a list as a client gives it to a model: name, description and schema of each tool, named after its server. */
function tokensLoaded(server: string, tools: readonly ListedTool[]): number {
  const shown = tools.map(({ name, description, inputSchema }) => ({
    name: `mcp__${server}__${name}`,
    description,
    inputSchema,
  }));
  return tokensOf(JSON.stringify(shown));
}
