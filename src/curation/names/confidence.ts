import type { IsTaken, Nameable } from './nameable.ts';

/** Judges a name for a capability, whoever proposed it. */
export function confidenceOf(
  name: string,
  _capability: Nameable,
  taken: IsTaken,
): { confidence: number; reasoning: string } {
  return { confidence: taken(name) ? 0.3 : 0.7, reasoning: '' };
}
