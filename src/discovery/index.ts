export type { DiscoveryEntry, DiscoveryHit, DiscoveryQuery, Evidence } from './entry.ts';
export { DiscoveryIndex } from './search/discovery-index.ts';
export { NOTHING_FITS } from './weights.ts';
