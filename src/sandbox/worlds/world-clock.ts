import type { World } from '../replay-request.ts';

/** Recorded worlds and the first of the others: replays must not depend on the day. */
const USUAL_NOW = Date.UTC(2026, 0, 15, 12);

/**
 * Programs look at the month, the weekday and the hour, and count from them. So the clocks of worlds stand at months of one
 * and of two digits, at their first and last days, at the 29th of February, at weekends, and at both ends of a day.
 */
const MOMENTS = [
  '2026-10-31T23:45:30.500Z',
  '2026-03-01T00:30:05.000Z',
  '2027-05-31T09:59:59.999Z',
  '2028-02-29T08:15:00.000Z',
  '2025-12-31T17:05:10.020Z',
  '2026-08-07T04:00:00.000Z',
  '2026-11-16T14:20:00.000Z',
].map((text) => Date.parse(text));

/** When the nth made-up world is. */
export function momentOf(nth: number): number {
  return MOMENTS[nth % MOMENTS.length] as number;
}

export function nowIn({ now = USUAL_NOW }: World): number {
  return now;
}
