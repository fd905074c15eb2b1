/** How long cached results stay valid, and what they depend on. */
export { type Dependency, dependenciesOf } from '../drift/dependencies.ts';
export type { CachePolicy, CachingPatch } from '../record/caching.ts';
export { DEFAULT_TTL, MAX_TTL } from '../record/caching.ts';
export type { Verified } from '../trust/signature.ts';
