const FIRST_MS = 500;
const LONGEST_MS = 60_000;

/** How long to wait before the next attempt: doubling, with some chance in it so that servers do not return in step. */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  return Math.round(full * (0.75 + random() * 0.25));
}
