/**
 * Damerau–Levenshtein distance, with adjacent swaps: `raed` is one step from `read`. Returns Infinity once it must be more than
 * `most`.
 */
export function editDistance(a: string, b: string, most = Infinity): number {
  let [older, old, row] = [0, 1, 2].map(() => new Uint32Array(b.length + 1)) as [Row, Row, Row];
  for (let j = 0; j <= b.length; j += 1) old[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    row[0] = i;
    let least = i;
    const [letter, before] = [a.charCodeAt(i - 1), a.charCodeAt(i - 2)];
    for (let j = 1; j <= b.length; j += 1) {
      const other = b.charCodeAt(j - 1);
      let best = (old[j - 1] as number) + (letter === other ? 0 : 1);
      if ((old[j] as number) < best) best = (old[j] as number) + 1;
      if ((row[j - 1] as number) < best) best = (row[j - 1] as number) + 1;
      const isSwap = i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && before === other;
      if (isSwap && (older[j - 2] as number) < best) best = (older[j - 2] as number) + 1;
      row[j] = best;
      if (best < least) least = best;
    }
    // A swap may skip one row, and costs a step of its own.
    if (least > most + 1) return Infinity;
    [older, old, row] = [old, row, older];
  }
  const distance = old[b.length] as number;
  return distance <= most ? distance : Infinity;
}

type Row = Uint32Array;

/** Finds the option that `word` is most likely a misspelling of; undefined if none is close. */
export function closest(word: string, options: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { option: string; distance: number } | undefined;
  for (const option of options) {
    // Too different in length; this also skips the costly comparison with a huge key.
    if (Math.abs(word.length - option.length) > 8) continue;
    const distance = editDistance(word.toLowerCase(), option.toLowerCase());
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { option, distance };
  }
  return best?.option;
}
