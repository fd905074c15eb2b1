import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceFile } from '../../package-files.js';
import type { BuiltInResolver } from '../agents/built-in-resolver.ts';
import type { ToolDescriptor } from '../agents/types.ts';
import { type ServeCommandOptions, serveCommand } from './serve-command.ts';

/** The tools of @modelcontextprotocol/server-memory. */
const TOOLS: readonly ToolDescriptor[] = [
  ['create_entities', 'Create Entities', 'Create multiple new entities in the knowledge graph'],
  [
    'create_relations',
    'Create Relations',
    'Create multiple new relations between entities in the knowledge graph. Relations should be in active voice',
  ],
  [
    'add_observations',
    'Add Observations',
    'Add new observations to existing entities in the knowledge graph',
  ],
  [
    'delete_entities',
    'Delete Entities',
    'Delete multiple entities and their associated relations from the knowledge graph',
  ],
  [
    'delete_observations',
    'Delete Observations',
    'Delete specific observations from entities in the knowledge graph',
  ],
  ['delete_relations', 'Delete Relations', 'Delete multiple relations from the knowledge graph'],
  ['read_graph', 'Read Graph', 'Read the entire knowledge graph'],
  ['search_nodes', 'Search Nodes', 'Search for nodes in the knowledge graph based on a query'],
  ['open_nodes', 'Open Nodes', 'Open specific nodes in the knowledge graph by their names'],
].map(([key, name, description]) => ({ key, name, description }) as ToolDescriptor);

/** A knowledge graph that the agent keeps in a file of its own. */
export function memoryResolver(options: ServeCommandOptions): BuiltInResolver {
  return {
    key: 'memory',
    isListed: true,
    tools: [...TOOLS],
    configSchema: {
      type: 'object',
      description: 'A knowledge graph that the agent keeps.',
      properties: {},
      additionalProperties: false,
    },
    resolve: (context) => ({ mcpServer: serveCommand('memory', context, options) }),
    backing: ({ agentDir }) => {
      mkdirSync(agentDir, { recursive: true, mode: 0o700 });
      const main = fileURLToPath(sourceFile('access/servers/memory-main.ts'));
      const env = { MEMORY_FILE_PATH: path.join(agentDir, 'memory.jsonl') };
      return {
        name: 'memory',
        transport: { kind: 'stdio', command: process.execPath, args: [main], env, cwd: agentDir },
        // The server rewrites its whole file, so concurrent calls would lose changes.
        ...{ routing: 'local', perSession: false, timeoutMs: 60_000, prefix: true, oneAtATime: true },
      };
    },
  };
}
