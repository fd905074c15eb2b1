import { type Principal, principalKey } from '../../principal.ts';
import type { Db } from '../../store/index.ts';
import { onChange, type RegistryChange } from '../record/announce.ts';
import { type Callable, type Capability, notFound, type Scope } from '../record/capability.ts';
import { find } from './resolve.ts';
import { findSameCode } from './same-code.ts';

/** Both limits together bound the cache to a few tens of megabytes. */
const MOST_NAMES = 5000;
const MOST_CHARACTERS = 16 * 1024 * 1024;

interface Entry {
  readonly capability: Callable;
  asker: Scope;
  characters: number;
}

/**
 * Caches which capability a name means, and which one does the same as code that a client sends. Each change on the
 * change feed drops the entries that it may affect; a process hears of its own changes before the act that made them
 * returns. Misses are not cached, so that a new capability works at once.
 */
export class NameCache {
  readonly #db: Db;
  readonly #entries = new Map<string, Entry>();
  #characters = 0;
  /** Bumped on every change, so that lookups in flight are not cached stale. */
  #generation = 0;

  private constructor(db: Db) {
    this.#db = db;
  }

  static async open(db: Db): Promise<NameCache> {
    const cache = new NameCache(db);
    await onChange(db, (change) => cache.#invalidate(change));
    return cache;
  }

  get size(): number {
    return this.#entries.size;
  }

  async resolve(who: Principal, name: string): Promise<Callable> {
    const found = await this.find(who, name);
    if (!found) throw notFound(name);
    return found;
  }

  async find(who: Principal, name: string): Promise<Callable | undefined> {
    return this.#lookUp(who, `name ${name}`, () => find(this.#db, who, name));
  }

  /** Finds the capability of the principal's scope that has this code. */
  findCode(who: Principal, codeHash: string): Promise<Callable | undefined> {
    return this.#lookUp(who, `code ${codeHash}`, () => findSameCode(this.#db, who, codeHash));
  }

  async #lookUp(
    who: Principal,
    what: string,
    read: () => Promise<Capability | undefined>,
  ): Promise<Callable | undefined> {
    const key = `${principalKey(who)}\0${what}`;
    const known = this.#entries.get(key);
    if (known) return known.capability;
    const before = this.#generation;
    const found = await read();
    if (!found) return undefined;
    const { usageCount, successCount, totalLatencyMs, ...capability } = found;
    if (before === this.#generation)
      this.#add(key, { capability, asker: who, characters: sizeOf(capability) });
    return capability;
  }

  #add(key: string, entry: Entry): void {
    this.#drop(key);
    this.#entries.set(key, entry);
    this.#characters += entry.characters;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MOST_NAMES && this.#characters <= MOST_CHARACTERS) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const known = this.#entries.get(key);
    if (!known) return;
    this.#entries.delete(key);
    this.#characters -= known.characters;
  }

  #invalidate(change: RegistryChange | 'unknown'): void {
    this.#generation += 1;
    for (const [key, { capability, asker }] of this.#entries) {
      if (change === 'unknown' || concerns(change, capability, asker)) this.#drop(key);
    }
  }
}

/**
 * A name looked up in its own scope depends on changes there alone; across scopes it depends on any change. Drift makes
 * callers stale in every scope.
 */
function concerns(change: RegistryChange, found: Scope, asker: Scope): boolean {
  const isDrift = change.what === 'drifted' || change.what === 'judged';
  return isDrift || !isSame(found, asker) || isSame(found, change);
}

function isSame(a: Scope, b: Scope): boolean {
  return a.org === b.org && a.project === b.project;
}

function sizeOf({ code, description, intent, parametersSchema }: Callable): number {
  return code.length + description.length + intent.length + JSON.stringify(parametersSchema).length + 1000;
}
