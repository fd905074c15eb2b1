import type { Meaning } from '../embeddings/meaning.ts';
import { MEANING_CURVE, TEXT_WEIGHTS } from '../weights.ts';

/** Adds closeness in meaning to the candidates' rank and score. Without a vector yet, the average closeness counts. */
export function addMeaning(
  ranked: readonly { id: string; rank: number; score: number }[],
  { closenessOf, likenessOf }: Meaning,
): void {
  const closeness = ranked.map(({ id }) => closenessOf(id));
  const known = closeness.filter((one) => one !== undefined);
  if (known.length === 0) return;
  const average = known.reduce((sum, one) => sum + one, 0) / known.length;
  for (const [at, one] of ranked.entries()) {
    one.rank += TEXT_WEIGHTS.meaning * Math.max(0, closeness[at] ?? average);
    one.score = Math.max(one.score, scoreOf(likenessOf(one.id)));
  }
}

function scoreOf(likeness: number): number {
  const { middle, width, highest } = MEANING_CURVE;
  return highest / (1 + Math.exp((middle - likeness) / width));
}
