import { type AgentRights, mayUseAll, mayUseTool } from '../access/index.ts';
import type { Catalog, Upstream } from '../upstream/index.ts';

/** The summary of a server that a session gets when it connects. */
export interface ServerSummary {
  readonly name: string;
  readonly state: Upstream['state'];
  /** Why it is down, phrased to follow "it". */
  readonly problem?: string | undefined;
  /** How many tools it offers; undefined if it was never listed. */
  readonly tools: number | undefined;
  /** False if its tools are not listed, but only found by discovery. */
  readonly isOffered: boolean;
  /** Its own instructions. */
  readonly instructions: string;
}

export function summarizeServer(
  upstream: Pick<Upstream, 'name' | 'server' | 'state' | 'problem'> & { catalog: Catalog | undefined },
  isOffered: boolean,
  rights?: AgentRights,
): ServerSummary {
  const { name, server, state, problem, catalog } = upstream;
  const isUsable = (tool: string) =>
    (server.tools?.includes(tool) ?? true) && (!rights || mayUseTool(rights, name, tool));
  // Instructions describe the whole server, so an agent with only some of its tools does not get them.
  const isWhole = !rights || mayUseAll(rights, name);
  return {
    ...{ name, state, problem, isOffered },
    tools:
      catalog && isListed({ catalog })
        ? catalog.tools.filter(({ name: own }) => isUsable(own)).length
        : undefined,
    instructions: isWhole ? (catalog?.instructions ?? '') : '',
  };
}

/** True if the lists of a server are known, from now or from its last start. */
export function isListed({ catalog }: { catalog: Catalog }): boolean {
  return Object.keys(catalog.server).length > 0;
}
