import type { ServerConfig } from '../../config/index.ts';
import type { Catalog } from '../../upstream/index.ts';
import { OWN_TOOLS_PART } from '../agents/agent-rights.ts';
import type { BuiltInResolver } from '../agents/built-in-resolver.ts';
import type { ToolDescriptor } from '../agents/types.ts';
import { allowedTools } from '../directory.ts';
import { type ServeCommandOptions, serveCommand } from './serve-command.ts';

/** Returns what a server listed last, now or in an earlier run; undefined if it was never listed. */
export type CatalogOf = (server: ServerConfig) => Catalog | undefined;

const NO_CONFIG = {
  type: 'object',
  description: 'A server of the config.',
  properties: {},
  additionalProperties: false,
};

/** Makes a configured MCP server a capability. Its tools are those that it listed last. */
export function serverResolver(
  server: ServerConfig,
  catalogOf: CatalogOf,
  options: ServeCommandOptions,
): BuiltInResolver {
  const { name: key } = server;
  return {
    key,
    configSchema: NO_CONFIG,
    get isListed() {
      return catalogOf(server) !== undefined;
    },
    get tools() {
      const catalog = catalogOf(server);
      return catalog ? describeTools(server, catalog) : [];
    },
    problemsOf: () =>
      key === OWN_TOOLS_PART
        ? [{ path: [], text: 'is the name of PML’s own tools, which every agent has; rename the server' }]
        : [],
    resolve: (context) => ({ mcpServer: serveCommand(key, context, options) }),
  };
}

function describeTools(server: ServerConfig, catalog: Catalog): ToolDescriptor[] {
  return allowedTools({ server, catalog }).map(({ name, title, annotations, description }) => ({
    key: name,
    name: textOf(title) ?? textOf((annotations as { title?: unknown } | undefined)?.title) ?? name,
    description: textOf(description) ?? '',
  }));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
