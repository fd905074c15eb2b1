import type { Problem } from '../../config/index.ts';
import type { Principal } from '../../principal.ts';
import type { Redactor } from '../../secrets/index.ts';
import type { Db } from '../../store/index.ts';
import type { ServerDefinition } from '../../upstream/index.ts';
import type { CapabilityResolver, ResolvedConfig } from './types.ts';

/** The context in which a workspace gives an agent its own servers. */
export interface BackingContext {
  agent: string;
  /** The user whose agent it is. Two users of one agent share no memory, tasks or history. */
  who: Principal;
  /** The folder that holds what the agent keeps for this user. */
  agentDir: string;
  /** The folder of the config file, to which paths are relative. */
  workspaceDir: string;
  /** PML's own folder, the config file and the files of servers' variables, which no agent may reach. */
  protectedPaths: readonly string[];
  db: Db;
  redactor: Redactor;
}

/** A resolver that comes with PML. The gateway of the workspace enforces what it allows. */
export interface BuiltInResolver extends CapabilityResolver {
  /** False as long as nobody has listed the tools of the server; `tools` are then taken as the config names them. */
  readonly isListed: boolean;
  /** Finds mistakes in a config that fits the schema. */
  problemsOf?(config: ResolvedConfig): Problem[];
  /** Finds settings that are valid, but probably a mistake. */
  warningsOf?(config: ResolvedConfig, workspaceDir: string): string[];
  /** The learned capabilities that the config allows. Only `capabilities` has it. */
  learned?(config: ResolvedConfig): 'all' | ReadonlySet<string>;
  /** The server that the workspace starts for the agent. Absent if the workspace has the server anyway. */
  backing?(context: BackingContext, config: ResolvedConfig): ServerDefinition;
}

export function isBuiltInResolver(resolver: CapabilityResolver): resolver is BuiltInResolver {
  return 'isListed' in resolver;
}

/** False for a server whose tools nobody has listed yet. */
export function isListed(resolver: CapabilityResolver): boolean {
  return !isBuiltInResolver(resolver) || resolver.isListed;
}
