import { OWN_TOOLS_PART } from '../access/agents/index.ts';
import type { JsonObject } from '../json.ts';
import type { Principal } from '../principal.ts';
import type { Upstream } from '../upstream/index.ts';
import type { AgentScope } from './agent-scope.ts';

/** The lists of which MCP announces changes. */
export type ListName = 'tools' | 'prompts' | 'resources';

/** One user of a workspace, as the workspace knows it: usually the session of a client. */
export interface Member {
  readonly who: Principal;
  /** The agent that it acts as. Absent if it may use everything. */
  readonly agent?: AgentScope | undefined;
  /** The only capability of the agent that it offers: the name of a server, or one of PML's own parts. */
  readonly part?: string | undefined;
  /** The lowest log level that it wants; undefined if it never set one. */
  readonly logLevel: string | undefined;
  listChanged(list: ListName): void;
  /** A server reports a change of a resource, under the server's own URI. */
  resourceUpdated(upstream: Upstream, uri: string, params: JsonObject): void;
  /** Ends its work and leaves the workspace. */
  close(): Promise<void>;
}

/** The part of its agent that a member offers: everything, PML's own tools and capabilities, or one server. */
export function partOf({ part }: Pick<Member, 'part'>): 'all' | 'own' | 'server' {
  if (part === undefined) return 'all';
  return part === OWN_TOOLS_PART ? 'own' : 'server';
}

/** True if a member lists something of a server. */
export function offersServer(member: Member, server: string): boolean {
  const { agent, part } = member;
  if (agent && !agent.hasServer(server)) return false;
  return part === undefined || (partOf(member) === 'server' && part === server);
}

/** True if a member's calls can reach a server, including those of its code and capabilities. */
export function reachesServer(member: Member, server: string): boolean {
  const { agent, part } = member;
  if (agent && !agent.hasServer(server)) return false;
  return partOf(member) !== 'server' || part === server;
}
