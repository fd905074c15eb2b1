import type { QueryTerm } from '../lexical/lexical-index.ts';
import type { TermStatistics } from '../lexical/term-statistics.ts';
import type { IntentWords } from '../text/intent-words.ts';
import type { Effect } from '../text/verbs.ts';

/** An intent, or one clause of it, in the terms of the index. */
export interface QueryTerms {
  terms: QueryTerm[];
  /** Term → its place in `terms`. */
  places: Map<number, number>;
  /** Neighbouring terms, as `pairKey` → the rarity of the less rare. */
  pairs: Map<number, number>;
  pairTotal: number;
  effects: ReadonlySet<Effect>;
  /** The sum of an entry that has every word of the intent in full. */
  total: number;
  /** The same with the words that no entry has. */
  fullTotal: number;
  /** The rarity of a word that no entry has. */
  unknownRarity: number;
}

/** Two terms as one key. The number of terms is far below 2²⁶. */
export function pairKey(first: number, second: number): number {
  return first * 0x4000000 + second;
}

export function queryTermsOf(statistics: TermStatistics, words: IntentWords): QueryTerms {
  const wanted: QueryTerms = {
    terms: [],
    places: new Map(),
    pairs: new Map(),
    pairTotal: 0,
    effects: words.effects,
    total: 0,
    fullTotal: 0,
    unknownRarity: statistics.rarity(undefined),
  };
  for (const [word, weight] of words.terms) {
    const number = statistics.numberOf(word);
    if (number === undefined) wanted.fullTotal += weight * wanted.unknownRarity;
    else addTerm(wanted, number, weight * statistics.rarity(number));
  }
  for (const [word, weight] of words.joined) {
    const number = statistics.numberOf(word);
    if (number !== undefined && !wanted.places.has(number))
      addTerm(wanted, number, weight * statistics.rarity(number));
  }
  for (const pair of words.pairs) {
    const [first, second] = pair.split(' ').map((term) => statistics.numberOf(term));
    const rarity = Math.min(statistics.rarity(first), statistics.rarity(second));
    wanted.pairTotal += rarity;
    if (first !== undefined && second !== undefined) wanted.pairs.set(pairKey(first, second), rarity);
  }
  return wanted;
}

function addTerm(wanted: QueryTerms, number: number, weight: number): void {
  wanted.places.set(number, wanted.terms.length);
  wanted.terms.push({ number, weight });
  wanted.total += weight;
  wanted.fullTotal += weight;
}
