import type { DirectoryEntry, NameIndex } from '../../access/index.ts';
import type { Config } from '../../config/index.ts';
import {
  type DiscoveryHit,
  DiscoveryIndex,
  type Evidence,
  type Population,
  type Vectors,
} from '../../discovery/index.ts';
import { noteWork } from '../../event-loop-watchdog.ts';
import type { Log } from '../../log.ts';
import type { Principal } from '../../principal.ts';
import { type FoundCapability, readFound } from '../../registry/discovery/index.ts';
import type { RegistryChange } from '../../registry/index.ts';
import { grantedCapabilities } from '../../registry/names/index.ts';
import type { Db } from '../../store/index.ts';
import { withTimeout } from '../../with-timeout.ts';
import { capabilityId, fqdnOf } from './capability-entry.ts';
import { IndexedCapabilities } from './indexed-capabilities.ts';
import { IndexedTools, toolId, toolOf } from './indexed-tools.ts';

/** Who searches, and what it can reach. */
export interface Searcher {
  who: Principal;
  tools: NameIndex;
  /** Ids of the tools and capabilities that the session used lately. */
  usedBefore?: ReadonlySet<string>;
}

interface GrantedSearcher extends Searcher {
  /** The capabilities that it may use, by FQDN; all that its user sees, if undefined. */
  granted: ReadonlySet<string> | undefined;
}

export interface SearchQuery {
  intents: readonly string[];
  limit: number;
  kind?: 'tool' | 'capability' | undefined;
  server?: string | undefined;
}

export type Found = DiscoveryHit &
  ({ kind: 'tool'; tool: DirectoryEntry } | { kind: 'capability'; capability: FoundCapability });

export interface SearchOptions {
  config: Pick<Config, 'scope' | 'lifecycle'>;
  db: Db;
  log: Log;
  /** Returns the tools that all sessions share. */
  sharedTools: () => NameIndex;
  /** Without them, words alone decide. */
  vectors?: Vectors | undefined;
  /** How many capabilities are read at a time. */
  pageSize?: number;
}

/** The index is built ahead only after this time: a start needs the processor. An earlier search builds it itself. */
const WARM_AFTER_MS = 2000;
/** How long a search waits for capabilities that are not indexed yet. */
const MAX_WAIT_MS = 5000;

/** Fewer uses say little about how often something succeeds. */
const FEW_USES = 4;

/** Finds the tools of a workspace's servers, and the capabilities of its scope, by intent. */
export class WorkspaceSearch {
  readonly #options: SearchOptions;
  readonly #index: DiscoveryIndex;
  readonly #tools: IndexedTools;
  readonly #capabilities: IndexedCapabilities;
  readonly #warmTimer: NodeJS.Timeout;
  /** The ids of the tools of agents that have searched. */
  readonly #toolIds = new WeakMap<NameIndex, readonly string[]>();

  constructor(options: SearchOptions) {
    const { config, db, log, pageSize, vectors } = options;
    this.#options = options;
    this.#index = new DiscoveryIndex({ vectors });
    this.#tools = new IndexedTools(this.#index);
    this.#capabilities = new IndexedCapabilities(this.#index, { db, log, scope: config.scope, pageSize });
    this.#warmTimer = setTimeout(() => void this.#warm(), WARM_AFTER_MS).unref();
  }

  registryChanged(change: RegistryChange | 'unknown'): void {
    this.#capabilities.noteChange(change);
  }

  /** Ranks what a principal may see and call. `isPartial` if not all capabilities were indexed in time. */
  async search(by: Searcher, query: SearchQuery): Promise<{ found: Found[]; isPartial: boolean }> {
    await this.#tools.sync(by.tools);
    const searcher = await this.#withGranted(by);
    const first = await this.#searchOnce(searcher, query);
    // If a capability has changed since it was indexed, all are ranked once more.
    return first.isCurrent ? first : this.#searchOnce(searcher, query);
  }

  /** Finds the tools that visible capabilities often use together with this one, the most frequent first. */
  async partnersOf(by: Searcher, tool: DirectoryEntry, limit: number): Promise<DirectoryEntry[]> {
    const searcher = await this.#withGranted(by);
    const { partners } = this.#capabilities;
    const counts = partners.of(`${tool.upstream.name}:${tool.own}`, (id) => {
      const evidence = this.#mayTell(id, searcher) ? this.#capabilities.get(id)?.evidence : undefined;
      return evidence ? weightOf(evidence) : 0;
    });
    const names = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const reachable = names.flatMap(([name]) => toolOf(`tool:${name}`, searcher.tools) ?? []);
    return reachable.slice(0, limit);
  }

  close(): void {
    clearTimeout(this.#warmTimer);
    this.#capabilities.close();
    this.#options.vectors?.close();
  }

  /** The database decides which capabilities an agent's names mean. */
  async #withGranted(searcher: Searcher): Promise<GrantedSearcher> {
    return { ...searcher, granted: await grantedCapabilities(this.#options.db, searcher.who) };
  }

  async #searchOnce(searcher: GrantedSearcher, query: SearchQuery) {
    if (!this.#capabilities.isComplete) await withTimeout(this.#catchUp(), MAX_WAIT_MS);
    const isPartial = !this.#capabilities.isComplete;
    return { ...(await this.#read(searcher, await this.#rank(searcher, query))), isPartial };
  }

  /** A change that arrives while the last one is read needs a second pass. */
  async #catchUp(): Promise<void> {
    for (let pass = 0; pass < 2 && !this.#capabilities.isComplete; pass++) await this.#capabilities.sync();
  }

  async #warm(): Promise<void> {
    try {
      await this.#tools.sync(this.#options.sharedTools());
      await this.#capabilities.sync();
    } catch (error) {
      // The first search tries again, and tells its caller.
      this.#options.log.error(`cannot index tools: ${(error as Error).stack}`);
    }
  }

  #rank(searcher: GrantedSearcher, { kind, server, ...query }: SearchQuery): Promise<DiscoveryHit[]> {
    noteWork('search', query.intents[0] ?? '');
    return this.#index.find({
      ...query,
      ...(kind && { kind }),
      ...(server !== undefined && { server }),
      user: searcher.who.user,
      ...(searcher.who.grants && { population: this.#populationOf(searcher) }),
      accepts: (id) => toolOf(id, searcher.tools) !== undefined || this.#mayTell(id, searcher),
      evidenceOf: (id) => this.#capabilities.get(id)?.evidence,
      ...(searcher.usedBefore && { usedBefore: searcher.usedBefore }),
    });
  }

  /** An agent's scores must not reveal tools or capabilities that it may not use. */
  #populationOf({ tools, granted }: GrantedSearcher): Population {
    const ids = this.#toolIds.get(tools) ?? tools.entries.map(toolId);
    this.#toolIds.set(tools, ids);
    return { tools: ids, capabilities: granted ? Array.from(granted, capabilityId) : 'all' };
  }

  /** Hides a capability that has the name of a server's tool, as the list of tools does: the tool wins. */
  #mayTell(id: string, { who, tools, granted }: GrantedSearcher): boolean {
    const known = this.#capabilities.get(id);
    if (!known || (known.only !== undefined && known.only !== who.user)) return false;
    if (granted && !granted.has(fqdnOf(id) ?? '')) return false;
    return !tools.has(known.listedName) && !tools.has(known.name);
  }

  /** Reads the capabilities among the hits as they are now. The database has the last word on who may see them. */
  async #read(
    searcher: GrantedSearcher,
    hits: readonly DiscoveryHit[],
  ): Promise<{ found: Found[]; isCurrent: boolean }> {
    const { db, config } = this.#options;
    const fqdns = hits.flatMap(({ id }) => fqdnOf(id) ?? []);
    const read =
      fqdns.length > 0
        ? await readFound(db, searcher.who, fqdns, config.lifecycle)
        : new Map<string, never>();
    let isCurrent = true;
    for (const fqdn of fqdns) {
      const capability = read.get(fqdn);
      if (!capability) this.#capabilities.recheck(fqdn);
      else if (this.#capabilities.refresh(capability)) continue;
      isCurrent = false;
    }
    const found = hits.flatMap((hit): Found[] => {
      const tool = toolOf(hit.id, searcher.tools);
      if (tool) return [{ ...hit, kind: 'tool', tool }];
      const capability = read.get(fqdnOf(hit.id) ?? '');
      return capability ? [{ ...hit, kind: 'capability', capability }] : [];
    });
    return { found, isCurrent };
  }
}

/** Code is remembered after it succeeded once; later failures speak against it. */
function weightOf({ uses, successRate, isStale }: Evidence): number {
  if (isStale || (uses >= FEW_USES && successRate < 0.5)) return 0;
  return 1 + Math.log1p(uses * successRate);
}
