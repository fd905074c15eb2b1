import { type CachedResult, type CacheEntry, textFor, valueIn } from './cached-result.ts';
import type { Dependency } from './dependency-log.ts';

export interface MemoryBounds {
  entries: number;
  bytes: number;
}

const BOUNDS: MemoryBounds = { entries: 2000, bytes: 32 * 1024 * 1024 };
/** Bytes that an entry takes besides its text. */
const OVERHEAD = 500;
const DEPENDENCY_BYTES = 300;

/** The clocks of a process. The steady clock stops while the machine sleeps; the wall clock jumps when somebody sets it. */
export interface Clocks {
  steady(): number;
  wall(): number;
}

interface Kept {
  readonly text: string;
  readonly bytes: number;
  readonly size: number;
  readonly dependencies: readonly Dependency[];
  readonly steadyAt: number;
  readonly wallAt: number;
  readonly ttlMs: number;
}

/** Results in the memory of this process. The least recently used go first. */
export class MemoryResults {
  readonly #bounds: MemoryBounds;
  readonly #clocks: Clocks;
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(
    bounds: MemoryBounds = BOUNDS,
    clocks: Clocks = { steady: () => performance.now(), wall: Date.now },
  ) {
    this.#bounds = bounds;
    this.#clocks = clocks;
  }

  get size(): number {
    return this.#kept.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  find({ key }: CacheEntry): CachedResult | undefined {
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    this.#drop(key);
    if (!this.#isFresh(kept)) return undefined;
    this.#add(key, kept);
    const { text, bytes, dependencies } = kept;
    return { value: valueIn(text), bytes, dependencies };
  }

  keep({ key, ttlSeconds }: CacheEntry, { value, bytes, dependencies }: CachedResult): void {
    const text = textFor(value);
    this.#drop(key);
    this.#add(key, {
      ...{ text, bytes, dependencies, ttlMs: ttlSeconds * 1000 },
      size: 2 * text.length + OVERHEAD + DEPENDENCY_BYTES * dependencies.length,
      steadyAt: this.#clocks.steady(),
      wallAt: this.#clocks.wall(),
    });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#bounds.entries && this.#bytes <= this.#bounds.bytes) return;
      this.#drop(oldest);
    }
  }

  /** A result expires by either clock, and if the wall clock was set back to before it was kept. */
  #isFresh({ steadyAt, wallAt, ttlMs }: Kept): boolean {
    const wallAge = this.#clocks.wall() - wallAt;
    return this.#clocks.steady() - steadyAt < ttlMs && wallAge >= 0 && wallAge < ttlMs;
  }

  #add(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    this.#bytes += kept.size;
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
  }
}
