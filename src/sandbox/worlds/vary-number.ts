import { drawBelow, drawFrom } from './hash.ts';

/** Numbers from here on are times, in seconds or milliseconds. */
export const FIRST_TIME = 1e9;
const FIRST_TIME_MS = 1e11;
const HOUR_MS = 3_600_000;

/**
 * Another number for the same field. Fractions are multiples of a quarter: their sums are exact, so that programs that add
 * in another order stay equal.
 */
export function varyNumber(
  value: number,
  key: number,
  seen: readonly number[],
  literals: readonly number[],
): number {
  if (Number.isInteger(value) && value >= FIRST_TIME) return varyTime(value, key);
  const roll = drawBelow(key, 1, 100);
  if (roll < 34 && literals.length > 0) return nearLiteral(drawFrom(literals, key, 2), key);
  if (roll < 48 && seen.length > 1) return drawFrom(seen, key, 3);
  if (roll < 52) return 0;
  if (roll < 58) return -1 - drawBelow(key, 4, 9);
  if (roll < 66) return value + 0.5;
  if (roll < 80) return value + drawBelow(key, 5, 3) - 1;
  const range = Math.min(1e6, Math.max(10, Math.ceil(Math.abs(value)) * 2));
  return Number.isInteger(value) ? drawBelow(key, 6, range) : drawBelow(key, 6, range * 4) / 4;
}

/** The literal itself, or a number just beside it. */
export function nearLiteral(literal: number, key: number): number {
  return literal + drawFrom([-1, 0, 0, 0, 1, 0.5, -0.5], key, 11);
}

/** The number itself in most cases, else one beside it. */
export function nearEdge(edge: number, key: number): number {
  return edge + drawFrom([0, 0, 0, 0, 0, 1, -1], key, 12);
}

function varyTime(value: number, key: number): number {
  const hour = value >= FIRST_TIME_MS ? HOUR_MS : HOUR_MS / 1000;
  return value + (drawBelow(key, 7, 1_000) - 500) * hour;
}
