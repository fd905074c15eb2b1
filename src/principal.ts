/** Who is calling. Travels as an argument of every call; never kept on an object that callers share. */
export interface Principal {
  readonly user: string;
  /** The name of the agent that calls in the user's name. */
  readonly agent?: string;
  /** Present exactly if `agent` is. */
  readonly grants?: AgentGrants;
  readonly org: string;
  readonly project: string;
  /** True if a person typed the command; otherwise a model calls through an MCP client. */
  readonly person?: boolean;
  /** True if it may change what others made in its scope. */
  readonly admin?: boolean;
}

/** The part of the registry that an agent's config leaves it of what its user sees. */
export interface AgentGrants {
  /** Differs between agents that may use different things, also if they have the same name in two configs. */
  readonly digest: string;
  /**
   * The records that it may use, by their names, with `ALL_CAPABILITIES` for every capability; and as `tool server` or
   * `tool server:name` the tools whose statistics it may see, after its own name where only this agent has the server. No
   * name holds a space or an asterisk.
   */
  readonly records: readonly string[];
  /** False if the agent may use no learned capability. */
  readonly hasCapabilities: boolean;
  /** The `cap_*` tools that change records which it may call. */
  readonly changingTools: ReadonlySet<string>;
}

export const ALL_CAPABILITIES = '*';

/** True unless the principal is an agent whose config does not list `capabilities`: such an agent hears nothing of them. */
export function usesCapabilities({ grants }: Principal): boolean {
  return grants === undefined || grants.hasCapabilities;
}

/** True unless the principal is an agent that may not call this tool, which changes records. It must not be told of it. */
export function mayChangeWith({ grants }: Principal, tool: string): boolean {
  return grants === undefined || grants.changingTools.has(tool);
}

/** Returns the user for whom an agent calls, with the user's own rights: for what PML itself keeps of the agent's work. */
export function userOf({ agent, grants, ...user }: Principal): Principal {
  return user;
}

/** Tells apart principals that may see different things. */
export function principalKey({ org, project, user, agent, grants, admin }: Principal): string {
  return JSON.stringify([org, project, user, agent ?? null, grants?.digest ?? null, admin === true]);
}
