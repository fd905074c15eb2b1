import type { Evidence } from '../entry.ts';
import { EVIDENCE_WEIGHTS } from '../weights.ts';

const HALF_LIFE_MS = 30 * 24 * 60 * 60 * 1000;
const MANY_USES = 1000;

/** Returns the factor by which evidence changes the fit of an entry. */
export function evidenceFactor(evidence: Evidence | undefined, wasUsedBefore: boolean, now: number): number {
  let factor = 1;
  if (wasUsedBefore) factor += EVIDENCE_WEIGHTS.usedBefore;
  if (!evidence) return factor;
  const uses = bounded(evidence.uses, 0, Number.MAX_SAFE_INTEGER);
  // Laplace smoothing: one failed use gives a rate of 1/3, not 0.
  const rate = (bounded(evidence.successRate, 0, 1) * uses + 1) / (uses + 2);
  factor += EVIDENCE_WEIGHTS.uses * Math.min(1, Math.log1p(uses) / Math.log1p(MANY_USES));
  factor += EVIDENCE_WEIGHTS.success * (2 * rate - 1);
  if (evidence.lastUsedAt !== undefined) {
    const age = bounded(now - evidence.lastUsedAt, 0, Number.MAX_SAFE_INTEGER);
    factor += EVIDENCE_WEIGHTS.recency * 2 ** (-age / HALF_LIFE_MS);
  }
  if (evidence.isNamed) factor += EVIDENCE_WEIGHTS.named;
  if (evidence.isStale) factor -= EVIDENCE_WEIGHTS.stale;
  if (!evidence.usesTools) factor -= EVIDENCE_WEIGHTS.computation;
  return factor;
}

function bounded(value: number, low: number, high: number): number {
  return Number.isNaN(value) ? low : Math.min(high, Math.max(low, value));
}
