/** The reads of discovery. */
export {
  type DiscoverableCapability,
  type FoundCapability,
  readDiscoverable,
  readFound,
  readStale,
  rereadDiscoverable,
} from '../views/discoverable.ts';
