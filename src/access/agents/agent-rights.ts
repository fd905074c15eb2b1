/** What an agent may use, and nothing else. Made from its `capabilities` object alone. */
export interface AgentRights {
  readonly agent: string;
  /** By server: the tools that the agent may use. `all` covers tools that appear later. */
  readonly servers: ReadonlyMap<string, 'all' | ReadonlySet<string>>;
  /** The learned capabilities that it may use: by their exact names, or all that the principal sees. */
  readonly capabilities: 'none' | 'all' | ReadonlySet<string>;
  /** The `cap_*` tools that change records which it may use. Empty without `capabilities` in its object. */
  readonly changingTools: ReadonlySet<string>;
}
