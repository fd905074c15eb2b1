import type { DiscoveryEntry } from '../entry.ts';
import type { Demands } from '../text/given-values.ts';
import type { Effect } from '../text/verbs.ts';
import { OTHER_ENTRIES } from '../weights.ts';
import type { Document } from './document.ts';
import { Postings } from './postings.ts';
import type { TermCounts, TermStatistics } from './term-statistics.ts';
import { type Candidate, TopCandidates } from './top-candidates.ts';

/** One entry in the index. Terms are numbers. */
export interface Indexed {
  id: string;
  kind: DiscoveryEntry['kind'];
  server: string;
  only: string | undefined;
  effect: Effect | undefined;
  demands: Demands;
  /** All its terms, each once; then those of its name; then those of its texts in order, with NO_TERM between texts. */
  numbers: Uint32Array;
  termCount: number;
  nameCount: number;
  /** It is no longer found, and will be removed. */
  isHidden: boolean;
}

export const NO_TERM = 0xffffffff;

/** A term of an intent, as the index knows it. */
export interface QueryTerm {
  number: number;
  /** Its weight in the intent, times its rarity. */
  weight: number;
}

/** An inverted index. */
export class LexicalIndex {
  readonly #numbers = new Map<string, number>();
  readonly #names: (string | undefined)[] = [];
  readonly #postings: (Postings | undefined)[] = [];
  /** By term: the entries without `only` that hold it. */
  readonly #publicCounts: number[] = [];
  /** By term: the tools that hold it. */
  readonly #toolCounts: number[] = [];
  /** By term and user: the entries that only this user may know of. */
  readonly #privateCounts = new Map<number, Map<string, number>>();
  readonly #freeTerms: number[] = [];
  readonly #slots: (Indexed | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  #publicSize = 0;
  #toolSize = 0;
  #generation = 0;
  /** By slot: the sum of weights in the current search. */
  #sums = new Float64Array(64);
  /** The slots that have a sum. */
  #touched = new Uint32Array(64);

  get termCount(): number {
    return this.#numbers.size;
  }

  /** Bumped on every change. Numbers of terms, and counts of them, hold for one generation. */
  get generation(): number {
    return this.#generation;
  }

  /** Adds an entry and returns its slot. */
  add(entry: DiscoveryEntry, document: Document): number {
    const slot = this.#freeSlots.pop() ?? this.#slots.length;
    const { id, kind, server, only } = entry;
    const { terms, name, sequence, effect, demands } = document;
    const numbers = new Uint32Array(terms.size + name.length + sequence.length);
    let at = 0;
    for (const [term, weight] of terms) {
      const number = this.#numberFor(term);
      numbers[at++] = number;
      this.#postings[number]?.add(slot, weight);
      this.#count(number, entry, 1);
    }
    for (const term of name) numbers[at++] = this.#numbers.get(term) ?? NO_TERM;
    for (const term of sequence) numbers[at++] = this.#numbers.get(term) ?? NO_TERM;
    this.#countEntry({ kind, only }, 1);
    this.#slots[slot] = {
      id,
      kind,
      server,
      only,
      effect,
      demands,
      numbers,
      termCount: terms.size,
      nameCount: name.length,
      isHidden: false,
    };
    return slot;
  }

  remove(slot: number): void {
    const indexed = this.#slots[slot];
    if (!indexed) return;
    for (const number of indexed.numbers.subarray(0, indexed.termCount)) {
      const postings = this.#postings[number] as Postings;
      postings.remove(slot);
      this.#count(number, indexed, -1);
      if (postings.size === 0) this.#forget(number);
    }
    this.#countEntry(indexed, -1);
    this.#slots[slot] = undefined;
    this.#freeSlots.push(slot);
  }

  at(slot: number): Indexed {
    return this.#slots[slot] as Indexed;
  }

  /** Word frequencies for a user. Rarity is counted over the entries that everyone may know of. */
  statisticsFor(user: string | undefined): TermStatistics {
    return {
      numberOf: (term) => {
        const number = this.#numbers.get(term);
        const isKnown = number !== undefined && (this.#publicCounts[number] ?? 0) > 0;
        return isKnown || this.#isPrivateOf(number, user) ? number : undefined;
      },
      rarity: (number) =>
        rarityOf(this.#publicSize, number === undefined ? 0 : (this.#publicCounts[number] ?? 0)),
    };
  }

  /** Word frequencies for an agent of a user: of some entries, and of every capability if it may use all. */
  statisticsWithin(
    entries: readonly TermCounts[],
    user: string | undefined,
    withCapabilities: boolean,
  ): TermStatistics {
    const inCapabilities = (number: number) =>
      withCapabilities ? (this.#publicCounts[number] ?? 0) - (this.#toolCounts[number] ?? 0) : 0;
    const countOf = (number: number) =>
      entries.reduce((sum, { counts }) => sum + (counts.get(number) ?? 0), inCapabilities(number));
    const size = entries.reduce(
      (sum, one) => sum + one.size,
      withCapabilities ? this.#publicSize - this.#toolSize : 0,
    );
    return {
      numberOf: (term) => {
        const number = this.#numbers.get(term);
        if (number === undefined) return undefined;
        const isKnown = inCapabilities(number) > 0 || entries.some(({ counts }) => counts.has(number));
        return isKnown || (withCapabilities && this.#isPrivateOf(number, user)) ? number : undefined;
      },
      rarity: (number) => rarityOf(size, number === undefined ? 0 : countOf(number)),
    };
  }

  /** Counts the terms of the entries at these slots. */
  countTerms(slots: Iterable<number>): TermCounts {
    const counts = new Map<number, number>();
    let size = 0;
    for (const slot of slots) {
      const { numbers, termCount, only } = this.at(slot);
      const one = only === undefined ? 1 : 0;
      size += one;
      for (const number of numbers.subarray(0, termCount))
        counts.set(number, (counts.get(number) ?? 0) + one);
    }
    return { size, counts };
  }

  weightAt(number: number, slot: number): number {
    return this.#postings[number]?.weightAt(slot) ?? 0;
  }

  /**
   * Finds the entries with the highest sums, best first; ties by id. Reads at most about `most` occurrences: for a long
   * intent among very many entries, the least telling words are left out.
   */
  best(
    terms: readonly QueryTerm[],
    count: number,
    accepts: (entry: Indexed) => boolean,
    most: number,
  ): Candidate[] {
    if (this.#sums.length < this.#slots.length) {
      this.#sums = new Float64Array(this.#slots.length * 2);
      this.#touched = new Uint32Array(this.#slots.length * 2);
    }
    const sums = this.#sums;
    const touched = this.#touched;
    let touchedCount = 0;
    let left = most;
    for (const { number, weight } of terms.toSorted((a, b) => b.weight - a.weight)) {
      const { slots, weights, size } = this.#postings[number] as Postings;
      // Counted without private entries, which must not change what others find.
      const occurrences = this.#publicCounts[number] ?? 0;
      if (occurrences > left && left < most) continue;
      left -= occurrences;
      for (let at = 0; at < size; at++) {
        const slot = slots[at] as number;
        if (sums[slot] === 0) touched[touchedCount++] = slot;
        sums[slot] = (sums[slot] as number) + weight * (weights[at] as number);
      }
    }
    const kept = new TopCandidates(count, (slot) => this.at(slot).id);
    for (let at = 0; at < touchedCount; at++) {
      const slot = touched[at] as number;
      const sum = sums[slot] as number;
      sums[slot] = 0;
      if (kept.wouldKeep(slot, sum) && accepts(this.at(slot))) kept.add(slot, sum);
    }
    return kept.sorted();
  }

  #isPrivateOf(number: number | undefined, user: string | undefined): boolean {
    if (number === undefined || user === undefined) return false;
    return this.#privateCounts.get(number)?.has(user) === true;
  }

  #countEntry({ kind, only }: Pick<Indexed, 'kind' | 'only'>, change: number): void {
    this.#generation += 1;
    if (only === undefined) this.#publicSize += change;
    if (kind === 'tool') this.#toolSize += change;
  }

  #count(
    number: number,
    { kind, only }: { kind: Indexed['kind']; only?: string | undefined },
    change: number,
  ): void {
    if (kind === 'tool') this.#toolCounts[number] = (this.#toolCounts[number] ?? 0) + change;
    if (only === undefined) {
      this.#publicCounts[number] = (this.#publicCounts[number] ?? 0) + change;
      return;
    }
    const counts = this.#privateCounts.get(number) ?? new Map<string, number>();
    const count = (counts.get(only) ?? 0) + change;
    if (count > 0) counts.set(only, count);
    else counts.delete(only);
    if (counts.size > 0) this.#privateCounts.set(number, counts);
    else this.#privateCounts.delete(number);
  }

  #numberFor(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#freeTerms.pop() ?? this.#names.length;
    this.#numbers.set(term, number);
    this.#names[number] = term;
    this.#postings[number] = new Postings();
    this.#publicCounts[number] = 0;
    this.#toolCounts[number] = 0;
    return number;
  }

  #forget(number: number): void {
    this.#numbers.delete(this.#names[number] as string);
    this.#names[number] = undefined;
    this.#postings[number] = undefined;
    this.#freeTerms.push(number);
  }
}

function rarityOf(size: number, count: number): number {
  return Math.log(1 + (size + OTHER_ENTRIES - count + 0.5) / (count + 0.5));
}
