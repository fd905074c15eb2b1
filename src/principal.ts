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

/** What an agent may use, by its config, of what its user sees in the registry. */
export interface AgentGrants {
  /** A hash of the grants: it tells apart agents of the same name in two configs that may use different things. */
  readonly digest: string;
  /**
   * The names of the records that the agent may use, or `ALL_CAPABILITIES`; and the tools whose statistics it may see,
   * as `tool server` or `tool server:name`, with the agent's name before it if only this agent has the server. Names
   * contain neither spaces nor asterisks, so the forms cannot be confused.
   */
  readonly records: readonly string[];
  /** False if the agent may use no learned capability. */
  readonly hasCapabilities: boolean;
  /** Those `cap_*` tools that change records and that the agent may call. */
  readonly changingTools: ReadonlySet<string>;
}

export const ALL_CAPABILITIES = '*';

/** True unless the principal is an agent whose config does not list `capabilities`: such an agent hears nothing of them. */
export function usesCapabilities({ grants }: Principal): boolean {
  return grants === undefined || grants.hasCapabilities;
}

/** False for an agent that may not call this record-changing tool. PML must not mention the tool to it. */
export function mayChangeWith({ grants }: Principal, tool: string): boolean {
  return grants === undefined || grants.changingTools.has(tool);
}

/** Returns the user for whom an agent calls, with the user's own rights: what an agent teaches is kept for its user. */
export function userOf({ agent, grants, ...user }: Principal): Principal {
  return user;
}

/** Tells apart principals that may see different things. */
export function principalKey({ org, project, user, agent, grants, admin }: Principal): string {
  return JSON.stringify([org, project, user, agent ?? null, grants?.digest ?? null, admin === true]);
}
