export type { CallRow } from '../tables/tool-usage.ts';
export { changesListing, type EvidenceChange, onEvidence } from './evidence-feed.ts';
export { type Lifecycle, listingOf } from './lifecycle.ts';
export { type Figures, type Statistics, type Subject, sinceWhen, statistics } from './statistics.ts';
export { storeCalls } from './store-calls.ts';
