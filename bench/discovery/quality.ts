import {
  type DiscoveryEntry,
  DiscoveryIndex,
  NOTHING_FITS,
  type Vectors,
} from '../../src/discovery/index.ts';
import type { DataSet, Query } from './data.ts';

/** In percent, counted as the data's own `eval.mjs` does. */
export interface Quality {
  set: string;
  tools: number;
  queries: number;
  hit1: number;
  hit5: number;
  recall5: number;
  recall10: number;
  mrr: number;
}

const LOOKED_AT = 50;

export async function indexOf(
  entries: readonly DiscoveryEntry[],
  vectors?: Vectors,
): Promise<DiscoveryIndex> {
  const index = new DiscoveryIndex({ vectors });
  index.replace('bench', entries);
  await index.settled();
  await vectors?.settled();
  return index;
}

export async function measureQuality(
  { name, entries, queries }: DataSet,
  index: DiscoveryIndex,
): Promise<Quality> {
  const sums = { hit1: 0, hit5: 0, recall5: 0, recall10: 0, mrr: 0 };
  for (const query of queries) {
    const hits = await index.find({ intents: [query.query], limit: LOOKED_AT });
    const found = hits.map(({ id }) => id);
    const first = found.findIndex((id) => query.gold.includes(id));
    sums.hit1 += Number(first === 0);
    sums.hit5 += Number(first >= 0 && first < 5);
    sums.mrr += first >= 0 ? 1 / (first + 1) : 0;
    sums.recall5 += recall(query, found.slice(0, 5));
    sums.recall10 += recall(query, found.slice(0, 10));
  }
  const percent = (sum: number) => Math.round((1000 * sum) / queries.length) / 10;
  return {
    set: name,
    tools: entries.length,
    queries: queries.length,
    hit1: percent(sums.hit1),
    hit5: percent(sums.hit5),
    recall5: percent(sums.recall5),
    recall10: percent(sums.recall10),
    mrr: percent(sums.mrr),
  };
}

function recall({ gold, groups = gold.map((id) => [id]) }: Query, found: readonly string[]): number {
  return groups.filter((group) => group.some((id) => found.includes(id))).length / groups.length;
}

export interface Threshold {
  score: number;
  /** Percent of right first hits with at least this score. */
  rightKept: number;
  /** Percent of queries, put to a set without the tools that they need, whose first hit is below this score. */
  foreignRefused: number;
}

/** Measures what a threshold keeps and refuses: each set's queries on its own tools, and on those of the other sets. */
export function measureThresholds(
  sets: readonly DataSet[],
  indexes: ReadonlyMap<string, DiscoveryIndex>,
): Threshold[] {
  const right: number[] = [];
  const foreign: number[] = [];
  for (const { name, queries } of sets) {
    for (const { query, gold } of queries) {
      for (const [other, index] of indexes) {
        const [best] = index.search({ intents: [query], limit: 1 });
        if (other !== name) foreign.push(best?.score ?? 0);
        else if (best && gold.includes(best.id)) right.push(best.score);
      }
    }
  }
  const share = (scores: readonly number[], isCounted: (score: number) => boolean) =>
    Math.round((1000 * scores.filter(isCounted).length) / scores.length) / 10;
  return [0.2, 0.3, NOTHING_FITS, 0.5, 0.6, 0.8].map((score) => ({
    score,
    rightKept: share(right, (one) => one >= score),
    foreignRefused: share(foreign, (one) => one < score),
  }));
}
