import type { DiscoveryHit } from '../entry.ts';
import { NOTHING_FITS } from '../weights.ts';
import type { Ranked } from './rank-intent.ts';

type Answer = Pick<Ranked, 'id' | 'score' | 'clause'>;

/** Joins the answers to several intents: first the best answer to each, then the others by score. */
export function mergeIntents(ranked: readonly (readonly Answer[])[], limit: number): DiscoveryHit[] {
  const [only] = ranked;
  if (only && ranked.length === 1)
    return only.slice(0, limit).map(({ id, score, clause }) => ({ id, score, intent: clause }));
  const hits = [...bestHits(ranked).values()];
  const isFirst = ({ id }: DiscoveryHit) => ranked.some(([first]) => first?.id === id);
  const [firsts, others] = [hits.filter(isFirst), hits.filter((hit) => !isFirst(hit))];
  return [...firsts.sort(byScore), ...others.sort(byScore)].slice(0, limit);
}

/** An entry that answers several intents takes one place, as the answer to the one that it fits best. */
function bestHits(ranked: readonly (readonly Answer[])[]): ReadonlyMap<string, DiscoveryHit> {
  const best = new Map<string, DiscoveryHit>();
  for (const [intent, list] of ranked.entries())
    for (const { id, score } of list)
      if (score > (best.get(id)?.score ?? -1)) best.set(id, { id, score, intent });
  for (const [intent, [first]] of ranked.entries()) {
    const hit = first && best.get(first.id);
    if (hit && hit.intent !== intent && first.score >= NOTHING_FITS)
      hit.alsoAnswers = [...(hit.alsoAnswers ?? []), intent];
  }
  return best;
}

function byScore(a: DiscoveryHit, b: DiscoveryHit): number {
  return b.score - a.score || (a.id < b.id ? -1 : 1);
}
