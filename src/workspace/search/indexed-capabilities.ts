import type { DiscoveryIndex } from '../../discovery/index.ts';
import type { Log } from '../../log.ts';
import {
  type DiscoverableCapability,
  type FoundCapability,
  readDiscoverable,
  readStale,
  rereadDiscoverable,
} from '../../registry/discovery/index.ts';
import { type RegistryChange, type Scope, successRate } from '../../registry/index.ts';
import type { Db } from '../../store/index.ts';
import { capabilityId, entryOf, type KnownCapability, knownOf } from './capability-entry.ts';
import { inTimeSlices } from './time-slices.ts';
import { ToolPartners } from './tool-partners.ts';

const PAGE = 200;
/** Changes of more capabilities than this are read as one pass over all. */
const MANY_CHANGES = 2000;
const MANY_STALE = 100_000;

export interface IndexedCapabilitiesOptions {
  db: Db;
  scope: Scope;
  log: Log;
  /** How many are read at a time. */
  pageSize?: number | undefined;
}

/**
 * Keeps an index in step with the capabilities that somebody in a scope may find: read in pages at first, then as the change
 * feed reports changes.
 */
export class IndexedCapabilities {
  readonly partners = new ToolPartners();
  readonly #options: IndexedCapabilitiesOptions;
  readonly #index: DiscoveryIndex;
  readonly #known = new Map<string, KnownCapability>();
  #changed = new Set<string>();
  #mustLoad = true;
  #mustReadStale = false;
  #isClosed = false;
  #work: Promise<void> | undefined;

  constructor(index: DiscoveryIndex, options: IndexedCapabilitiesOptions) {
    this.#index = index;
    this.#options = options;
  }

  /** Notes what must be read again before the next search. */
  noteChange(change: RegistryChange | 'unknown'): void {
    if (change === 'unknown') {
      this.#mustLoad = true;
      return;
    }
    const { what, fqdn, only, org, project } = change;
    const { scope } = this.#options;
    const isHere = org === scope.org && project === scope.project;
    // Nobody here sees private records of other scopes, and these two kinds of change affect nothing that is searched.
    if ((only !== undefined && !isHere) || what === 'declared' || what === 'rerouted') return;
    if (what === 'drifted' || what === 'judged') this.#mustReadStale = true;
    else if (fqdn === undefined || this.#changed.size >= MANY_CHANGES) this.#mustLoad = true;
    else this.#changed.add(fqdn);
  }

  /** Brings the index up to date. A failure is logged, and tried again by the next call. */
  sync(): Promise<void> {
    this.#work ??= this.#catchUp()
      .catch((error: Error) => {
        if (!this.#isClosed) this.#options.log.warn(`cannot index capabilities: ${error.message}`);
      })
      .finally(() => {
        this.#work = undefined;
      });
    return this.#work;
  }

  /** True if nothing is being read or waits to be read. */
  get isComplete(): boolean {
    return this.#work === undefined && !this.#isBehind;
  }

  get(id: string): Readonly<KnownCapability> | undefined {
    return this.#known.get(id);
  }

  /** Updates the evidence with what a search has just read. False if the search ranked it with an outdated `stale`. */
  refresh({ fqdn, stale, usageCount, successCount, lastUsedAt }: FoundCapability): boolean {
    const known = this.#known.get(capabilityId(fqdn));
    if (!known) return true;
    const isSame = known.evidence.isStale === (stale !== null);
    known.evidence = {
      ...known.evidence,
      isStale: stale !== null,
      uses: usageCount,
      successRate: successRate({ usageCount, successCount }) ?? 0,
      lastUsedAt: lastUsedAt.getTime(),
    };
    return isSame;
  }

  /** Marks a capability to be read again, because it is not as it was indexed. */
  recheck(fqdn: string): void {
    this.#changed.add(fqdn);
  }

  close(): void {
    this.#isClosed = true;
  }

  get #isBehind(): boolean {
    return this.#mustLoad || this.#mustReadStale || this.#changed.size > 0;
  }

  async #catchUp(): Promise<void> {
    while (this.#isBehind && !this.#isClosed) {
      if (this.#mustLoad) await this.#load();
      else if (this.#changed.size > 0) await this.#readChanged();
      else await this.#readStale();
    }
  }

  async #load(): Promise<void> {
    const { db, scope, pageSize = PAGE } = this.#options;
    this.#mustLoad = false;
    const gone = new Set(this.#known.keys());
    try {
      for (let after: string | undefined = ''; after !== undefined && !this.#isClosed; ) {
        const page: DiscoverableCapability[] = await readDiscoverable(db, scope, after, pageSize);
        await inTimeSlices(page, (one) => {
          gone.delete(capabilityId(one.fqdn));
          this.#put(one);
        });
        after = page.length < pageSize ? undefined : page.at(-1)?.fqdn;
      }
      await inTimeSlices(gone, (id) => this.#forget(id));
    } catch (error) {
      this.#mustLoad = true;
      throw error;
    }
  }

  async #readChanged(): Promise<void> {
    const { db, scope } = this.#options;
    const changed = this.#changed;
    this.#changed = new Set();
    try {
      const rows = await rereadDiscoverable(db, scope, [...changed]);
      const found = new Set(rows.map(({ fqdn }) => fqdn));
      await inTimeSlices(rows, (one) => this.#put(one));
      await inTimeSlices(changed, (fqdn) => {
        if (!found.has(fqdn)) this.#forget(capabilityId(fqdn));
      });
    } catch (error) {
      this.#mustLoad = true;
      throw error;
    }
  }

  async #readStale(): Promise<void> {
    const { db, scope } = this.#options;
    this.#mustReadStale = false;
    try {
      const stale = new Set((await readStale(db, scope, MANY_STALE)).map(capabilityId));
      await inTimeSlices(this.#known, ([id, known]) => {
        known.evidence = { ...known.evidence, isStale: stale.has(id) };
      });
    } catch (error) {
      this.#mustReadStale = true;
      throw error;
    }
  }

  #forget(id: string): void {
    this.#index.remove(id);
    this.#known.delete(id);
    this.partners.remove(id);
  }

  #put(capability: DiscoverableCapability): void {
    const entry = entryOf(capability);
    this.#index.put(entry);
    this.#known.set(entry.id, knownOf(capability));
    this.partners.put(entry.id, capability.toolsUsed);
  }
}
