/** Who is calling. Travels as an argument of every call; never kept on an object that callers share. */
export interface Principal {
  readonly user: string;
  readonly agent?: string;
  readonly org: string;
  readonly project: string;
  /** True if a person typed the command; otherwise a model calls through an MCP client. */
  readonly person?: boolean;
  /** True if it may change what others made in its scope. */
  readonly admin?: boolean;
}
