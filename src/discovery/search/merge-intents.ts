import type { DiscoveryHit } from '../entry.ts';
import type { Ranked } from './rank-intent.ts';

/** Joins the answers to several intents: first the best answer to each, then the others by score. */
export function mergeIntents(ranked: readonly (readonly Ranked[])[], limit: number): DiscoveryHit[] {
  const [only] = ranked;
  if (only && ranked.length === 1)
    return only.slice(0, limit).map(({ id, score, clause }) => ({ id, score, intent: clause }));
  const chosen = new Map<string, DiscoveryHit>();
  const all = ranked.flatMap((list, intent) => list.map(({ id, score }) => ({ id, score, intent })));
  for (const hit of firstOfEach(ranked).sort(byScore)) chosen.set(hit.id, hit);
  for (const hit of all.sort(byScore)) if (!chosen.has(hit.id)) chosen.set(hit.id, hit);
  return [...chosen.values()].slice(0, limit);
}

/** An entry that answers two intents best takes one place. */
function firstOfEach(ranked: readonly (readonly Ranked[])[]): DiscoveryHit[] {
  const taken = new Set<string>();
  return ranked.flatMap((list, intent) => {
    const first = list[0];
    if (!first || taken.has(first.id)) return [];
    taken.add(first.id);
    return [{ id: first.id, score: first.score, intent }];
  });
}

function byScore(a: DiscoveryHit, b: DiscoveryHit): number {
  return b.score - a.score || (a.id < b.id ? -1 : 1);
}
