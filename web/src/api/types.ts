import type { z } from 'zod';
import type * as schemas from '../../../src/http/api/schemas/index.ts';

/** The types of the API, read off the schemas by which the gateway checks it. */
export type {
  BatchAnswer,
  BatchInput,
  Capability,
  CapabilityItem,
  CapabilityPatch,
  CapabilityUsage,
  Events,
  ExecuteAnswer,
  Graph,
  InboxCounts,
  InboxItem,
  InboxKind,
  InboxPage,
  JournalRow,
  Overview,
  Replayed,
  Restarted,
  Run,
  RunAnswer,
  RunCall,
  SeriesPoint,
  ServerItem,
  ServerLog,
  Session,
  Tool,
  ToolCallAnswer,
  ToolItem,
  ToolTypes,
  Verification,
  VersionDiff,
} from '../../../src/http/api/schemas/index.ts';

export type CapabilityState = z.infer<typeof schemas.CapabilityState>;
export type DiffRow = z.infer<typeof schemas.DiffRow>;
export type GraphNode = z.infer<typeof schemas.GraphNode>;

/** One page of any list. */
export interface Page<T> {
  items: T[];
  next: string | null;
  total?: number;
  /** The latest event before the page was read, where the gateway says so. */
  as_of?: string;
}
