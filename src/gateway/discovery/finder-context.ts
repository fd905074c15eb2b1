import type { Caller } from '../../execute/index.ts';
import type { ToolOutputObserver } from '../../runs/index.ts';
import type { Redactor } from '../../secrets/index.ts';
import type { Db } from '../../store/index.ts';
import type { ScopedConfig, Searcher, WorkspaceSearch } from '../../workspace/index.ts';

/** The dependencies of a search by intent. */
export interface FinderContext {
  db: Db;
  config: Pick<ScopedConfig, 'expose' | 'names' | 'servers' | 'file' | 'disabledServers' | 'untrusted'>;
  /** The servers whose tools are not listed. */
  unlistedServers: ReadonlySet<string>;
  /** Names the servers whose tools are not known yet, because they are still starting. */
  startingServers: () => readonly string[];
  /** Knows the secrets of the config. */
  redactor: Redactor;
  caller: Caller;
  search: WorkspaceSearch;
  /** Knows what tools return. */
  toolOutputs: ToolOutputObserver;
  /** Ids of the tools and capabilities that the session used lately. */
  usedBefore: ReadonlySet<string>;
}

export function searcherOf({ caller, usedBefore }: FinderContext): Searcher {
  return { who: caller.who, tools: caller.tools, usedBefore };
}
