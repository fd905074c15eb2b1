import { TEXT_WEIGHTS } from '../weights.ts';
import type { MatchedTerms } from './fit.ts';
import type { QueryTerms } from './query-terms.ts';

/** How many of the first places are filled this way, and from how many of the best entries. */
const PLACES = 10;
const CONSIDERED = 40;

/**
 * Orders entries, best first, so that the first page covers the whole intent: a word that entries above already have
 * counts less, so that five variants of one tool do not take the places of the tools for the other tasks.
 */
export function coverIntent<T extends { rank: number; found: MatchedTerms }>(
  ranked: readonly T[],
  { terms }: QueryTerms,
): T[] {
  const left = ranked.slice(0, CONSIDERED).map((one) => ({ one, worth: worthOf(one.found, terms) }));
  const shares = new Map<number, number>();
  const chosen: T[] = [];
  while (chosen.length < PLACES && left.length > 0) {
    let best = 0;
    let bestRank = -1;
    for (const [at, { one, worth }] of left.entries()) {
      // An entry that was found by its meaning has no words to cover.
      const rank = worth === 0 ? one.rank : (one.rank * worthOf(one.found, terms, shares)) / worth;
      if (rank <= bestRank) continue;
      best = at;
      bestRank = rank;
    }
    for (const { one } of left.splice(best, 1)) {
      chosen.push(one);
      for (const [term, weight] of one.found.terms)
        shares.set(term, (shares.get(term) ?? 1) * TEXT_WEIGHTS.repeated ** weight);
    }
  }
  return [...chosen, ...left.map(({ one }) => one), ...ranked.slice(CONSIDERED)];
}

/** Adds up the worth of the intent's terms that an entry has, each by the share that is left of it. */
function worthOf(
  found: MatchedTerms,
  terms: QueryTerms['terms'],
  shares?: ReadonlyMap<number, number>,
): number {
  let sum = 0;
  for (const { number, weight } of terms) {
    const held = found.terms.get(number);
    if (held !== undefined) sum += weight * held * (shares?.get(number) ?? 1);
  }
  return sum;
}
