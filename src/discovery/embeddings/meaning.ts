import { nextEventLoopTurn } from '../../event-loop-turn.ts';
import { TEXT_WEIGHTS } from '../weights.ts';
import { type SmallVector, similarity } from './small-vector.ts';

/** How close the entries are to one intent. */
export interface Meaning {
  /** -1 to 1; undefined for an entry without a vector. */
  closenessOf(id: string): number | undefined;
  /** How much closer an entry is than texts that have nothing to do with each other: 0 to 1, whatever the model. */
  likenessOf(id: string): number;
  /** The closest entries that the caller may see, if they are likely to be meant. */
  nearest: readonly string[];
}

/** The comparison yields to the event loop after this time. */
const SLICE_MS = 3;
const LOOKS_AT_CLOCK_EVERY = 64;
const NEAREST = 20;

/** Texts of different fields. */
export const UNRELATED_TEXTS = [
  'Bake a cake with apples and cinnamon.',
  'The orbit of a planet around its star.',
  'Cancel the lease of an apartment.',
  'Symptoms of a fever in children.',
];

/** Returns the average similarity of vectors. For unrelated texts, it differs from model to model. */
export function averageSimilarity(vectors: readonly SmallVector[]): number {
  let sum = 0;
  let count = 0;
  for (const [at, one] of vectors.entries()) {
    for (const other of vectors.slice(at + 1)) {
      sum += similarity(one, other);
      count += 1;
    }
  }
  return count === 0 ? 0 : Math.min(0.95, Math.max(0, sum / count));
}

export interface CompareOptions {
  /** The similarity of unrelated texts. */
  unrelated: number;
  accepts: (id: string) => boolean;
}

interface Near {
  id: string;
  closeness: number;
}

/** Compares all vectors with those of an intent and its clauses, in short turns. The closest pair counts. */
export async function compare(
  wanted: readonly SmallVector[],
  vectors: ReadonlyMap<string, readonly SmallVector[]>,
  { unrelated, accepts }: CompareOptions,
): Promise<Meaning> {
  const closenessOf = (id: string) => {
    const known = vectors.get(id);
    if (known?.[0]?.bytes.length !== wanted[0]?.bytes.length) return undefined;
    let closest = -1;
    for (const vector of known ?? [])
      for (const one of wanted) closest = Math.max(closest, similarity(one, vector));
    return closest;
  };
  const likeness = (closeness: number) => Math.max(0, (closeness - unrelated) / (1 - unrelated));
  let near: Near[] = [];
  let compared = 0;
  await nextEventLoopTurn();
  let end = performance.now() + SLICE_MS;
  for (const id of vectors.keys()) {
    const closeness = closenessOf(id) ?? 0;
    if (likeness(closeness) >= TEXT_WEIGHTS.leastLikeness && accepts(id)) near.push({ id, closeness });
    if (near.length >= 10 * NEAREST) near = closest(near);
    compared += 1;
    if (compared % LOOKS_AT_CLOCK_EVERY > 0 || performance.now() < end) continue;
    await nextEventLoopTurn();
    end = performance.now() + SLICE_MS;
  }
  const likenessOf = (id: string) => likeness(closenessOf(id) ?? 0);
  return { closenessOf, likenessOf, nearest: closest(near).map(({ id }) => id) };
}

function closest(near: readonly Near[]): Near[] {
  return near.toSorted((a, b) => b.closeness - a.closeness || (a.id < b.id ? -1 : 1)).slice(0, NEAREST);
}
