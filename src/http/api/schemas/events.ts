import { z } from 'zod';
import { Id, Text } from './common.ts';
import { InboxCounts } from './inbox.ts';
import { JournalRow } from './runs.ts';

/** The events of the stream, by name. */
export const EVENTS = {
  /** Calls that ended, in at most four batches a second. `left_out` counts calls beyond the limit of a batch. */
  call: z.object({ rows: z.array(JournalRow), left_out: z.int() }),
  /** `change` is what happened to the capability, such as `created`, `renamed` or `retired`. */
  capability: z.object({ id: Id, change: Text }),
  server: z.object({ name: Text, state: z.enum(['starting', 'ready', 'down', 'stopped']) }),
  inbox: z.object({ counts: InboxCounts }),
  /** The stream may have missed changes: the page must read again what it shows. */
  resync: z.object({}),
} as const;
export type Events = { [Name in keyof typeof EVENTS]: z.infer<(typeof EVENTS)[Name]> };
