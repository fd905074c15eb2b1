import { type Indexed, type LexicalIndex, NO_TERM } from '../lexical/lexical-index.ts';
import type { TermStatistics } from '../lexical/term-statistics.ts';
import { effectsAgree } from '../text/verbs.ts';
import { TEXT_WEIGHTS } from '../weights.ts';
import { pairKey, type QueryTerms } from './query-terms.ts';

/** The parts of an intent that one entry matches. */
export interface MatchedTerms {
  /** Term → its weight in the entry. */
  terms: Map<number, number>;
  /** Neighbouring terms → 1 for neighbours in the entry, 0.5 with a word between them. */
  pairs: Map<number, number>;
}

/** Finds the terms of the whole intent that an entry has. Its fit to each clause is judged by them, too. */
export function findIn(index: LexicalIndex, wanted: QueryTerms, slot: number): MatchedTerms {
  const terms = new Map<number, number>();
  for (const { number } of wanted.terms) {
    const weight = index.weightAt(number, slot);
    if (weight > 0) terms.set(number, weight);
  }
  return { terms, pairs: findPairs(wanted.pairs, terms, index.at(slot)) };
}

function findPairs(
  pairs: ReadonlyMap<number, number>,
  terms: ReadonlyMap<number, number>,
  { numbers, termCount, nameCount }: Indexed,
): Map<number, number> {
  const found = new Map<number, number>();
  if (pairs.size === 0 || terms.size < 2) return found;
  for (let at = termCount + nameCount; at + 1 < numbers.length; at++) {
    const first = numbers[at] as number;
    if (first === NO_TERM || !terms.has(first)) continue;
    for (let distance = 1; distance <= 2 && at + distance < numbers.length; distance++) {
      const second = numbers[at + distance] as number;
      if (second === NO_TERM) break;
      const key = pairKey(first, second);
      if (pairs.has(key)) found.set(key, Math.max(found.get(key) ?? 0, 1 / distance));
    }
  }
  return found;
}

/** The fit of an entry that has everything, before its server is counted. */
const FULL_FIT = 1 + TEXT_WEIGHTS.nameInIntent + TEXT_WEIGHTS.phrases;

/** Tells how well an entry fits, 0 to 1. */
export function fitOf(
  statistics: TermStatistics,
  wanted: QueryTerms,
  entry: Indexed,
  found: MatchedTerms,
): number {
  if (wanted.total === 0) return 0;
  let sum = 0;
  for (const { number, weight } of wanted.terms) sum += weight * (found.terms.get(number) ?? 0);
  let phrases = 0;
  for (const [key, rarity] of wanted.pairs) phrases += rarity * (found.pairs.get(key) ?? 0);
  const fit =
    sum / wanted.total +
    TEXT_WEIGHTS.nameInIntent * nameShare(statistics, wanted, entry) +
    TEXT_WEIGHTS.phrases * (wanted.pairTotal === 0 ? 0 : phrases / wanted.pairTotal);
  const lost = TEXT_WEIGHTS.wrongEffect * (1 - effectsAgree(wanted.effects, entry.effect));
  return (fit / FULL_FIT) * (1 - lost);
}

/** Returns the share of the words of the name that the intent has. */
function nameShare(
  statistics: TermStatistics,
  { places }: QueryTerms,
  { numbers, termCount, nameCount }: Indexed,
): number {
  let all = 0;
  let shared = 0;
  for (let at = termCount; at < termCount + nameCount; at++) {
    const number = numbers[at] as number;
    const rarity = statistics.rarity(number);
    all += rarity;
    if (places.has(number)) shared += rarity;
  }
  return all === 0 ? 0 : shared / all;
}
