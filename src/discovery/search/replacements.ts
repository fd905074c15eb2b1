import type { DiscoveryEntry } from '../entry.ts';

/** The new entries of one source, which are taken over one by one. */
export interface Replacement {
  source: string;
  entries: readonly DiscoveryEntry[];
  next: number;
  /** Entries that were put or removed one by one since, and are newer. */
  superseded: Set<string>;
}

/** Takes one entry over, and returns how many characters it had. */
export type TakeEntry = (replacement: Replacement, entry: DiscoveryEntry) => number;

/** One slice takes a few milliseconds. It is counted, not timed, so that the same entries are ready on every machine. */
const SLICE_ENTRIES = 64;
const SLICE_CHARACTERS = 64 * 1024;

/** Takes entries over in slices, each in a turn of the event loop of its own; the first at once. */
export class Replacements {
  readonly #take: TakeEntry;
  readonly #pending = new Map<string, Replacement>();
  #settled: PromiseWithResolvers<void> | undefined;
  #isScheduled = false;

  constructor(take: TakeEntry) {
    this.#take = take;
  }

  start(source: string, entries: readonly DiscoveryEntry[]): void {
    this.#pending.delete(source);
    this.#pending.set(source, { source, entries, next: 0, superseded: new Set() });
    if (!this.#isScheduled) this.#work();
  }

  /** What is pending of this entry is old. */
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
      while (replacement.next < replacement.entries.length && entries > 0 && characters > 0) {
        const entry = replacement.entries[replacement.next++] as DiscoveryEntry;
        characters -= this.#take(replacement, entry);
        entries -= 1;
      }
      if (replacement.next < replacement.entries.length) break;
      this.#pending.delete(replacement.source);
    }
    if (this.#pending.size > 0) this.#schedule();
    else this.#finish();
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
