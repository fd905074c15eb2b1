import {
  type McpServerConfig,
  OWN_TOOLS_PART,
  type ResolverContext,
  type ServeCommandOptions,
  serveCommand,
} from '../access/agents/index.ts';

/** Returns the servers that every agent has beside its capabilities: PML's own tools, within the agent's rights. */
export function resolveInjections(
  context: ResolverContext,
  options: ServeCommandOptions,
): Record<string, McpServerConfig> {
  return { [OWN_TOOLS_PART]: serveCommand(OWN_TOOLS_PART, context, options) };
}
