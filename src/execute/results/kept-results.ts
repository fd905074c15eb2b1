import { randomBytes } from 'node:crypto';
import { type Principal, principalKey } from '../../principal.ts';
import type { Redactor } from '../../secrets/index.ts';

/** How long a result is kept. */
export const KEPT_MS = 10 * 60_000;

export interface KeptBounds {
  /** For each principal. */
  readonly entries: number;
  readonly bytes: number;
  /** For all principals together. */
  readonly totalBytes: number;
}

const MIB = 1024 * 1024;
const BOUNDS: KeptBounds = { entries: 20, bytes: 32 * MIB, totalBytes: 128 * MIB };

/** A result that was too large to be answered as a whole. */
export interface KeptResult {
  /** As JSON. */
  readonly text: string;
  /** Knows the secrets of the run that made it. */
  readonly redactor: Redactor;
}

interface Entry {
  readonly owner: string;
  readonly data: Buffer;
  readonly redactor: Redactor;
  readonly keptAt: number;
}

/**
 * Large results, in the memory of this process alone: they may hold secrets, so no file and no row holds them. The oldest go
 * first. An id names the process that keeps the result, so that another one can say that it does not.
 */
export class KeptResults {
  readonly #bounds: KeptBounds;
  readonly #now: () => number;
  readonly #process = randomBytes(3).toString('hex');
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>();
  #sweep: NodeJS.Timeout | undefined;

  constructor(bounds: KeptBounds = BOUNDS, now: () => number = () => performance.now()) {
    this.#bounds = bounds;
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Keeps a result. Returns the id to find it by; undefined if it is too large to be kept. */
  keep(who: Principal, { text, redactor }: KeptResult): string | undefined {
    const data = Buffer.from(text);
    if (data.length > Math.min(this.#bounds.bytes, this.#bounds.totalBytes)) return undefined;
    const id = `${this.#process}-${randomBytes(6).toString('hex')}`;
    this.#entries.set(id, { owner: principalKey(who), data, redactor, keptAt: this.#now() });
    this.#enforceBounds(principalKey(who));
    this.#scheduleSweep();
    return id;
  }

  find(who: Principal, id: string): KeptResult | undefined {
    this.#dropExpired();
    const entry = this.#entries.get(id);
    if (entry?.owner !== principalKey(who)) return undefined;
    return { text: entry.data.toString(), redactor: entry.redactor };
  }

  /** True for an id of this process, though the result may be gone. */
  isOwn(id: string): boolean {
    return id.startsWith(`${this.#process}-`);
  }

  #enforceBounds(owner: string): void {
    this.#dropExpired();
    const all = [...this.#entries];
    const { entries, bytes, totalBytes } = this.#bounds;
    this.#dropOldest(
      all.filter(([, entry]) => entry.owner === owner),
      entries,
      bytes,
    );
    this.#dropOldest([...this.#entries], Infinity, totalBytes);
  }

  #dropOldest(oldestFirst: readonly [string, Entry][], most: number, mostBytes: number): void {
    let count = oldestFirst.length;
    let bytes = oldestFirst.reduce((sum, [, { data }]) => sum + data.length, 0);
    for (const [id, { data }] of oldestFirst) {
      if (count <= most && bytes <= mostBytes) return;
      this.#entries.delete(id);
      count -= 1;
      bytes -= data.length;
    }
  }

  #dropExpired(): void {
    const oldest = this.#now() - KEPT_MS;
    for (const [id, { keptAt }] of this.#entries) {
      if (keptAt > oldest) return;
      this.#entries.delete(id);
    }
  }

  /** Frees the memory also if nobody asks again. */
  #scheduleSweep(): void {
    if (this.#sweep || this.#entries.size === 0) return;
    this.#sweep = setTimeout(() => {
      this.#sweep = undefined;
      this.#dropExpired();
      this.#scheduleSweep();
    }, KEPT_MS / 2).unref();
  }
}
