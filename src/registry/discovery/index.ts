/** What discovery reads of the capabilities. */
export {
  type DiscoverableCapability,
  type FoundCapability,
  readDiscoverable,
  readFound,
  readStale,
  rereadDiscoverable,
} from '../views/discoverable.ts';
