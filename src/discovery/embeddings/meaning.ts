import { setImmediate as nextTurn } from 'node:timers/promises';
import { TEXT_WEIGHTS } from '../weights.ts';
import { type SmallVector, similarity } from './embedder.ts';

/** How close the entries are to one intent. */
export interface Meaning {
  /** -1 to 1; undefined for an entry without a vector. */
  closenessOf(id: string): number | undefined;
  /** How much closer an entry is than texts that have nothing to do with each other: 0 to 1, whatever the model. */
  likenessOf(id: string): number;
  /** The entries of which it is likely that they are meant, closest first. */
  nearest: readonly string[];
}

/** Few enough that comparing them takes about a millisecond. */
const COMPARED_AT_ONCE = 2000;

/** Texts of different fields. */
export const UNRELATED_TEXTS = [
  'Bake a cake with apples and cinnamon.',
  'The orbit of a planet around its star.',
  'Cancel the lease of an apartment.',
  'Symptoms of a fever in children.',
];

/** Returns the closeness of texts that have nothing to do with each other. Models differ in it. */
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

/** Compares all vectors with those of an intent's clauses, in short turns. The closest clause counts. */
export async function compare(
  wanted: readonly SmallVector[],
  vectors: ReadonlyMap<string, SmallVector>,
  unrelated: number,
): Promise<Meaning> {
  const closenessOf = (id: string) => {
    const vector = vectors.get(id);
    if (vector?.bytes.length !== wanted[0]?.bytes.length) return undefined;
    return vector && Math.max(...wanted.map((one) => similarity(one, vector)));
  };
  const likeness = (closeness: number) => Math.max(0, (closeness - unrelated) / (1 - unrelated));
  const near: { id: string; closeness: number }[] = [];
  let compared = 0;
  for (const id of [...vectors.keys()]) {
    const closeness = closenessOf(id) ?? 0;
    if (likeness(closeness) >= TEXT_WEIGHTS.leastLikeness) near.push({ id, closeness });
    compared += wanted.length;
    if (compared < COMPARED_AT_ONCE) continue;
    compared = 0;
    await nextTurn();
  }
  near.sort((a, b) => b.closeness - a.closeness || (a.id < b.id ? -1 : 1));
  const likenessOf = (id: string) => likeness(closenessOf(id) ?? 0);
  return { closenessOf, likenessOf, nearest: near.map(({ id }) => id) };
}
