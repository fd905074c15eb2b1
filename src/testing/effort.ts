/** The everyday run tries four tenths of the random cases and rounds that the tests name; `PML_EFFORT=1` tries them all. */
const EFFORT = Number(process.env.PML_EFFORT || 0.4);

/** True if somebody asked for a longer run: `PML_EFFORT=50 npm test`. */
export const HAS_TIME = EFFORT > 1;

/** Multiplies a count of rounds by `PML_EFFORT`. */
export function times(count: number): number {
  return Math.ceil(count * EFFORT);
}

/** The number of random cases that fast-check tries. */
export function runs(count: number): { numRuns: number } {
  return { numRuns: times(count) };
}
