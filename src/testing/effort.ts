import { basename } from 'node:path';

/** The everyday run tries a quarter of the random cases and rounds that the tests name; `PML_EFFORT=1` tries them all. */
const EFFORT = Number(process.env.PML_EFFORT || 0.25);

/** True from `PML_EFFORT=1` on. An everyday run leaves some tests out. */
export const IS_WHOLE = EFFORT >= 1;

/** True if somebody asked for a longer run: `PML_EFFORT=50 npm test`. */
export const HAS_TIME = EFFORT > 1;

/**
 * The engines on which a test of the whole program runs. An everyday run takes one of the two, by the name of the test file:
 * PGlite for every eighth, since it costs each start a second of processor time; `PML_EFFORT=1` takes both. What the statements
 * themselves do is always tested on both (`onBothEngines`), and what concerns the home or the start on PGlite.
 */
export function engines(): readonly ('PGlite' | 'PostgreSQL')[] {
  if (IS_WHOLE) return ['PGlite', 'PostgreSQL'];
  const letters = Array.from(basename(process.argv[1] ?? ''), (letter) => letter.charCodeAt(0));
  return letters.reduce((sum, letter) => sum + letter, 0) % 8 === 0 ? ['PGlite'] : ['PostgreSQL'];
}

/** Multiplies a count of rounds by `PML_EFFORT`. */
export function times(count: number): number {
  return Math.ceil(count * EFFORT);
}

/** The number of random cases that fast-check tries. */
export function runs(count: number): { numRuns: number } {
  return { numRuns: times(count) };
}
