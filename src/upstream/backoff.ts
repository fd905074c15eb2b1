const FIRST_MS = 500;
const MAX_MS = 60_000;

/** The time before the next attempt: doubles with each failure, with jitter so that servers do not return in step. */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const full = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  return Math.round(full * (0.75 + random() * 0.25));
}
