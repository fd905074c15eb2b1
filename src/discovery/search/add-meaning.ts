import { TEXT_WEIGHTS } from '../weights.ts';

/** Adds closeness in meaning to the rank of the candidates. One whose vector is not yet made gets the average. */
export function addMeaning(
  ranked: readonly { id: string; rank: number }[],
  closenessOf: (id: string) => number | undefined,
): void {
  const closeness = ranked.map(({ id }) => closenessOf(id));
  const known = closeness.filter((one) => one !== undefined);
  if (known.length === 0) return;
  const average = known.reduce((sum, one) => sum + one, 0) / known.length;
  for (const [at, one] of ranked.entries())
    one.rank += TEXT_WEIGHTS.meaning * Math.max(0, closeness[at] ?? average);
}
