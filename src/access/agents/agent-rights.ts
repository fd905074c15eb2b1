/**
 * The part of an agent that holds PML's own tools and the learned capabilities that it may use. No server of an agent
 * may have this name.
 */
export const OWN_TOOLS_PART = 'pml';

/** All that an agent may use. Made from its `capabilities` object alone. */
export interface AgentRights {
  readonly agent: string;
  /** By server: the tools that the agent may use. `all` covers tools that appear later. */
  readonly servers: ReadonlyMap<string, 'all' | ReadonlySet<string>>;
  /** The learned capabilities that it may use: by their exact names, or all that the principal sees. */
  readonly capabilities: 'none' | 'all' | ReadonlySet<string>;
  /** The `cap_*` tools that change records which it may use. Empty without `capabilities` in its object. */
  readonly changingTools: ReadonlySet<string>;
}

/** True if the agent may use a tool, in constant time. */
export function mayUseTool({ servers }: AgentRights, server: string, tool: string): boolean {
  const allowed = servers.get(server);
  return allowed === 'all' || allowed?.has(tool) === true;
}

/** True if the agent may use the whole server, with its prompts and resources. */
export function mayUseAll({ servers }: AgentRights, server: string): boolean {
  return servers.get(server) === 'all';
}
