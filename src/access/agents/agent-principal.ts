import { createHash } from 'node:crypto';
import { canonicalJson } from '../../canonical-json.ts';
import { type AgentGrants, ALL_CAPABILITIES, type Principal } from '../../principal.ts';
import type { AgentRights } from './agent-rights.ts';

/** Returns the principal of an agent that calls in the name of a user. `own` are the servers that only this agent has. */
export function agentPrincipal(user: Principal, rights: AgentRights, own: Iterable<string> = []): Principal {
  return { ...user, agent: rights.agent, grants: grantsOf(rights, new Set(own)) };
}

function grantsOf(rights: AgentRights, own: ReadonlySet<string>): AgentGrants {
  const { capabilities, changingTools } = rights;
  const names =
    capabilities === 'none' ? [] : capabilities === 'all' ? [ALL_CAPABILITIES] : [...capabilities].sort();
  const servers = [...rights.servers.keys()]
    .sort()
    .flatMap((name) =>
      own.has(name) ? ownToolsOf(rights, name) : [`mcp:${name}`, ...toolsOf(rights, name)],
    );
  const records = [...names, ...servers];
  const hasCapabilities = capabilities !== 'none';
  const all = canonicalJson([hasCapabilities, [...changingTools].sort(), records]);
  const digest = createHash('sha256').update(all).digest('hex');
  return { digest, records, hasCapabilities, changingTools };
}

function toolsOf({ servers }: AgentRights, name: string): string[] {
  const allowed = servers.get(name);
  if (allowed === undefined || allowed === 'all') return [`tool ${name}`];
  return [...allowed].sort().map((tool) => `tool ${name}:${tool}`);
}

/** Other agents have servers of the same names, whose records and statistics are not this one's. */
function ownToolsOf(rights: AgentRights, name: string): string[] {
  return toolsOf(rights, name).map((tool) => `${rights.agent} ${tool}`);
}
