import { PmlError } from '../../errors.ts';

/** Where the results of a capability are cached: nowhere, in the process, or in the store. */
export type CachePolicy = 'none' | 'memoize' | 'persistent';

/** How the results of a capability are cached. */
export interface Caching {
  readonly cachePolicy: CachePolicy;
  /** How many seconds a cached result stays valid. */
  readonly ttl: number | null;
  /** Cached although the capability calls tools that are not marked read-only. */
  readonly cacheForced: boolean;
}

/** The caching to change; what is not given stays. */
export interface CachingPatch {
  cachePolicy?: CachePolicy | undefined;
  ttl?: number | undefined;
  force?: boolean | undefined;
}

export const NOT_CACHED: Caching = { cachePolicy: 'none', ttl: null, cacheForced: false };

export const DEFAULT_TTL = 300;
/** Thirty days. */
export const MAX_TTL = 2_592_000;

/** Applies a patch. A policy without `ttl` keeps results for the default time. */
export function patchCaching(
  { cachePolicy, ttl, cacheForced }: Caching,
  { cachePolicy: newPolicy, ttl: newTtl, force }: CachingPatch,
): Caching {
  if (newTtl !== undefined && !(Number.isInteger(newTtl) && newTtl >= 1 && newTtl <= MAX_TTL)) {
    throw new PmlError('invalid_arguments', `ttl must be 1 to ${MAX_TTL} seconds, not ${newTtl}.`, {
      hint: 'To cache nothing, set cache_policy to "none".',
    });
  }
  const policy = newPolicy ?? cachePolicy;
  if (policy === 'none') return { cachePolicy: policy, ttl: newTtl ?? ttl, cacheForced: false };
  // A new policy is a new decision: the old one's force does not carry over.
  const forced = newPolicy === undefined ? cacheForced || force === true : force === true;
  return { cachePolicy: policy, ttl: newTtl ?? ttl ?? DEFAULT_TTL, cacheForced: forced };
}
