import type { DiscoveryEntry } from '../entry.ts';
import type { Demands } from '../text/given-values.ts';
import type { Effect } from '../text/verbs.ts';
import { OTHER_ENTRIES } from '../weights.ts';
import { BestOf, type Candidate } from './best-of.ts';
import type { Document } from './document.ts';
import { Postings } from './postings.ts';

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

/** An inverted index. Rarity is counted over the entries that everyone may know of. */
export class LexicalIndex {
  readonly #numbers = new Map<string, number>();
  readonly #names: (string | undefined)[] = [];
  readonly #postings: (Postings | undefined)[] = [];
  /** By term: the entries without `only` that hold it. */
  readonly #publicCounts: number[] = [];
  /** By term and user: the entries that only this user may know of. */
  readonly #privateCounts = new Map<number, Map<string, number>>();
  readonly #freeTerms: number[] = [];
  readonly #slots: (Indexed | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  #publicSize = 0;
  /** By slot, for the search under way. */
  #sums = new Float64Array(64);
  /** The slots that have a sum. */
  #touched = new Uint32Array(64);

  get termCount(): number {
    return this.#numbers.size;
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
      this.#count(number, only, 1);
    }
    for (const term of name) numbers[at++] = this.#numbers.get(term) ?? NO_TERM;
    for (const term of sequence) numbers[at++] = this.#numbers.get(term) ?? NO_TERM;
    if (only === undefined) this.#publicSize += 1;
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
      this.#count(number, indexed.only, -1);
      if (postings.size === 0) this.#forget(number);
    }
    if (indexed.only === undefined) this.#publicSize -= 1;
    this.#slots[slot] = undefined;
    this.#freeSlots.push(slot);
  }

  at(slot: number): Indexed {
    return this.#slots[slot] as Indexed;
  }

  /** The number of a term; undefined if no entry that the user may know of holds it. */
  numberOf(term: string, user: string | undefined): number | undefined {
    const number = this.#numbers.get(term);
    if (number === undefined || (this.#publicCounts[number] ?? 0) > 0) return number;
    return user !== undefined && this.#privateCounts.get(number)?.has(user) ? number : undefined;
  }

  /** How rare a term is among the entries that everyone may know of. */
  rarity(number: number | undefined): number {
    const count = number === undefined ? 0 : (this.#publicCounts[number] ?? 0);
    return Math.log(1 + (this.#publicSize + OTHER_ENTRIES - count + 0.5) / (count + 0.5));
  }

  weightAt(number: number, slot: number): number {
    return this.#postings[number]?.weightAt(slot) ?? 0;
  }

  /**
   * Finds the entries with the highest sums, best first; ties by id. Looks at no more than about `most` occurrences: of a long
   * intent among very many entries, the words that say least are left out.
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
    const kept = new BestOf(count, (slot) => this.at(slot).id);
    for (let at = 0; at < touchedCount; at++) {
      const slot = touched[at] as number;
      const sum = sums[slot] as number;
      sums[slot] = 0;
      if (kept.wouldKeep(slot, sum) && accepts(this.at(slot))) kept.add(slot, sum);
    }
    return kept.sorted();
  }

  #count(number: number, only: string | undefined, change: number): void {
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
    return number;
  }

  #forget(number: number): void {
    this.#numbers.delete(this.#names[number] as string);
    this.#names[number] = undefined;
    this.#postings[number] = undefined;
    this.#freeTerms.push(number);
  }
}
