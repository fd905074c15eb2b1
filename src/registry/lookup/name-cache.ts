import type { Principal } from '../../principal.ts';
import type { Db } from '../../store/index.ts';
import { onChange, type RegistryChange } from '../record/announce.ts';
import { type Callable, notFound, type Scope } from '../record/capability.ts';
import { find } from './resolve.ts';

/** Together with the longest code that PML keeps, a few tens of megabytes at the most. */
const MOST_NAMES = 5000;
const MOST_CHARACTERS = 16 * 1024 * 1024;

interface Known {
  capability: Callable;
  asker: Scope;
  characters: number;
}

/**
 * What names meant when they were last asked for, for those who call capabilities. Emptied of whatever a change may concern
 * when the change feed tells of it, which for changes of this process is before the act that made them answers. Only what
 * was found is kept: nobody waits for a name to appear.
 */
export class NameCache {
  readonly #db: Db;
  readonly #known = new Map<string, Known>();
  #characters = 0;
  /** Of the last change: what was being looked up when it came may be what was before it. */
  #changes = 0;

  private constructor(db: Db) {
    this.#db = db;
  }

  static async open(db: Db): Promise<NameCache> {
    const names = new NameCache(db);
    await onChange(db, (change) => names.#forget(change));
    return names;
  }

  get size(): number {
    return this.#known.size;
  }

  async resolve(who: Principal, name: string): Promise<Callable> {
    const found = await this.find(who, name);
    if (!found) throw notFound(name);
    return found;
  }

  async find(who: Principal, name: string): Promise<Callable | undefined> {
    const key = `${who.org}\0${who.project}\0${who.user}\0${name}`;
    const known = this.#known.get(key);
    if (known) return known.capability;
    const before = this.#changes;
    const found = await find(this.#db, who, name);
    if (!found) return undefined;
    const { usageCount, successCount, totalLatencyMs, ...capability } = found;
    if (before === this.#changes) this.#keep(key, { capability, asker: who, characters: sizeOf(capability) });
    return capability;
  }

  #keep(key: string, known: Known): void {
    this.#drop(key);
    this.#known.set(key, known);
    this.#characters += known.characters;
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST_NAMES && this.#characters <= MOST_CHARACTERS) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const known = this.#known.get(key);
    if (!known) return;
    this.#known.delete(key);
    this.#characters -= known.characters;
  }

  #forget(change: RegistryChange | 'unknown'): void {
    this.#changes += 1;
    for (const [key, { capability, asker }] of this.#known) {
      if (change === 'unknown' || concerns(change, capability, asker)) this.#drop(key);
    }
  }
}

/**
 * Whoever asks in a scope for what is there hears of changes there alone; across scopes any change may say otherwise. What
 * drifts makes stale whatever calls it, wherever that is.
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
