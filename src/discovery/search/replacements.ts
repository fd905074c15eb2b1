import type { DiscoveryEntry } from '../entry.ts';

/** The new entries of one source, which are taken over one by one. */
interface Replacement {
  source: string;
  entries: readonly DiscoveryEntry[];
  /** The ids of entries that the source no longer has. */
  gone: readonly string[];
  /** How many of `entries`, and then of `gone`, are done. */
  done: number;
  /** Entries that were put or removed one by one since, and are newer. */
  superseded: Set<string>;
}

export interface Acts {
  /** Adds or replaces an entry. Returns its size in characters. */
  set: (source: string, entry: DiscoveryEntry) => number;
  drop: (id: string) => void;
}

/** One slice takes a few milliseconds. It is counted, not timed, so that the same entries are ready on every machine. */
const SLICE_ENTRIES = 32;
const SLICE_CHARACTERS = 48 * 1024;

/** Indexes entries in slices, each in its own turn of the event loop; the first slice at once. */
export class Replacements {
  readonly #acts: Acts;
  readonly #pending = new Map<string, Replacement>();
  #settled: PromiseWithResolvers<void> | undefined;
  #isScheduled = false;

  constructor(acts: Acts) {
    this.#acts = acts;
  }

  start(source: string, entries: readonly DiscoveryEntry[], gone: readonly string[]): void {
    // Entries that an unfinished replacement had yet to drop are still there, so they are in `gone` again.
    this.#pending.set(source, { source, entries, gone, done: 0, superseded: new Set() });
    if (!this.#isScheduled) this.#work();
  }

  /** Cancels pending changes of this entry, since a newer one was made. */
  supersede(id: string): void {
    for (const { superseded } of this.#pending.values()) superseded.add(id);
  }

  settled(): Promise<void> {
    if (this.#pending.size === 0) return Promise.resolve();
    this.#settled ??= Promise.withResolvers<void>();
    return this.#settled.promise;
  }

  #work(): void {
    this.#isScheduled = false;
    let entries = SLICE_ENTRIES;
    let characters = SLICE_CHARACTERS;
    for (const replacement of this.#pending.values()) {
      const size = replacement.entries.length + replacement.gone.length;
      for (; replacement.done < size && entries > 0 && characters > 0; entries--)
        characters -= this.#step(replacement);
      if (replacement.done < size) break;
      this.#pending.delete(replacement.source);
    }
    if (this.#pending.size > 0) this.#schedule();
    else this.#finish();
  }

  #step(replacement: Replacement): number {
    const { source, entries, gone, superseded } = replacement;
    const at = replacement.done++;
    const entry = entries[at];
    if (entry) return superseded.has(entry.id) ? 0 : this.#acts.set(source, entry);
    const id = gone[at - entries.length];
    if (id !== undefined && !superseded.has(id)) this.#acts.drop(id);
    return 0;
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => this.#work());
  }

  #finish(): void {
    this.#settled?.resolve();
    this.#settled = undefined;
  }
}
