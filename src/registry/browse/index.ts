/** Tables for people: capabilities, and figures over time. */
export {
  type BrowsedCapability,
  type BrowseFilter,
  browse,
  browseAny,
  browseOnly,
  countBrowsed,
} from '../views/browse.ts';
export { countStates, type StateCounts } from '../views/count-states.ts';
export { keysetAfter, readCursor, writeCursor } from '../views/keyset.ts';
export {
  codeOfVersions,
  findShown,
  idsOf,
  listVersions,
  neighboursOf,
  type ShownCapability,
} from '../views/shown-capability.ts';
export {
  type CapabilityCalls,
  countToolUsers,
  listCalls,
  listToolUsers,
  type ToolUse,
} from '../views/tool-users.ts';
