import type { Dependency } from './dependency-log.ts';

/** A result that was kept. */
export interface CachedResult {
  readonly value: unknown;
  /** The size of the value as JSON. */
  readonly bytes: number;
  readonly dependencies: readonly Dependency[];
}

/** The key of a cached result, its scope, and how long it is valid. */
export interface CacheEntry {
  /** Tells apart versions, arguments and principals. */
  readonly key: string;
  readonly org: string;
  readonly project: string;
  readonly ttlSeconds: number;
  /** The time of the database when the run began. */
  readonly readAt: Date;
}

/** Larger results are not kept. */
export const MAX_CACHED_BYTES = 256 * 1024;

/** Writes a value as text. The value may be undefined, which JSON has no text for. */
export function textFor(value: unknown): string {
  return JSON.stringify({ value });
}

export function valueIn(text: string): unknown {
  return (JSON.parse(text) as { value?: unknown }).value;
}
