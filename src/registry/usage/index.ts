export type { ToolOutputKey } from '../tables/tool-outputs.ts';
export { type CallRow, deleteCalls, OWN_SERVER } from '../tables/tool-usage.ts';
export { changesListing, type EvidenceChange, onEvidence } from './evidence-feed.ts';
export { type Lifecycle, listingOf, listingParameters, listingStatusSql } from './lifecycle.ts';
export {
  isStable,
  type KnownOutput,
  keyOf,
  knownOutput,
  type ObservedOutput,
  observeOutputs,
  sameSchema,
} from './observe-outputs.ts';
export { type Subject, sinceWhen, statistics } from './statistics.ts';
export { type CallMembers, type CallText, jsonOf, storeCalls } from './store-calls.ts';
export { learnToolOutput, readToolOutputs } from './tool-outputs.ts';
