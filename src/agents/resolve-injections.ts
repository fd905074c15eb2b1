import {
  type McpServerConfig,
  OWN_TOOLS_PART,
  type PartOptions,
  partServer,
  type ResolverContext,
} from '../access/agents/index.ts';

/** Returns the servers that every agent has beside its capabilities: PML's own tools, within the agent's rights. */
export function resolveInjections(
  context: ResolverContext,
  options: PartOptions,
): Record<string, McpServerConfig> {
  return { [OWN_TOOLS_PART]: partServer(OWN_TOOLS_PART, context, options) };
}
