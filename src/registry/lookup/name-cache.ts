import { hash } from 'node:crypto';
import { type Principal, principalKey } from '../../principal.ts';
import type { Db } from '../../store/index.ts';
import { onChange, type RegistryChange } from '../record/announce.ts';
import { type Callable, type Capability, notFound, type Scope } from '../record/capability.ts';
import { find } from './resolve.ts';
import { findSameProcedure, type LearnedProcedure } from './same-procedure.ts';

/** Both limits together bound the cache to a few tens of megabytes. */
const MOST_NAMES = 5000;
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** A capability that does the same as code that was learned. */
export interface KnownProcedure {
  readonly capability: Callable;
  /** Maps its argument names to those of the learned code, if its own code is written differently. */
  readonly renamed: ReadonlyMap<string, string> | undefined;
}

interface Entry extends KnownProcedure {
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
    const found = await this.#lookUp(who, `name ${name}`, async () => {
      const capability = await find(this.#db, who, name);
      return capability && { capability, renamed: undefined };
    });
    return found?.capability;
  }

  /** Finds the capability of the principal's scope that does the same as code. */
  findProcedure(who: Principal, learned: LearnedProcedure): Promise<KnownProcedure | undefined> {
    return this.#lookUp(who, `code ${identityOf(learned)}`, () => findSameProcedure(this.#db, who, learned));
  }

  async #lookUp(
    who: Principal,
    what: string,
    read: () => Promise<{ capability: Capability; renamed: KnownProcedure['renamed'] } | undefined>,
  ): Promise<KnownProcedure | undefined> {
    const key = `${principalKey(who)}\0${what}`;
    const known = this.#entries.get(key);
    if (known) return known;
    const before = this.#generation;
    const found = await read();
    if (!found) return undefined;
    const { usageCount, successCount, totalLatencyMs, ...capability } = found.capability;
    const { renamed } = found;
    if (before === this.#generation)
      this.#add(key, { capability, renamed, asker: who, characters: sizeOf(capability) });
    return { capability, renamed };
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

/** Hashes what identifies a procedure: its code, its flow, and which of its arguments share a value. */
function identityOf({ codeHash, flow }: LearnedProcedure): string {
  const first = new Map<string, string>();
  const shared = [...(flow?.values ?? [])].map(([name, value]) => {
    if (!first.has(value)) first.set(value, name);
    return [name, first.get(value)];
  });
  const parts = [codeHash, flow?.forms, shared];
  return hash('sha256', JSON.stringify(parts), 'base64');
}
