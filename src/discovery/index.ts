export { DiscoveryIndex, NOTHING_FITS } from './discovery-index.ts';
export type { DiscoveryEntry, DiscoveryHit, DiscoveryQuery, Evidence } from './entry.ts';
