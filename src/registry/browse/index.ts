/** What people browse: tables of capabilities, and figures over time. */
export { type BrowsedCapability, type BrowseFilter, browse, browseOnly, rateOf } from '../views/browse.ts';
export { countStates, type StateCounts } from '../views/count-states.ts';
export { keysetAfter, readCursor, writeCursor } from '../views/keyset.ts';
export {
  type CapabilityCalls,
  countToolUsers,
  listCalls,
  listToolUsers,
  type ToolUse,
} from '../views/tool-users.ts';
