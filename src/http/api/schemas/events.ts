import { z } from 'zod';
import { Id, Text } from './common.ts';
import { InboxCounts } from './inbox.ts';
import { JournalRow } from './runs.ts';

/** The events of the stream, by name. */
export const EVENTS = {
  /** Calls that ended, at most four batches a second, and how many more than a page can show. */
  call: z.object({ rows: z.array(JournalRow), left_out: z.int() }),
  /** `change` is what happened to it: created, named, renamed, updated, retired. */
  capability: z.object({ id: Id, change: Text }),
  server: z.object({ name: Text, state: z.enum(['starting', 'ready', 'down', 'stopped']) }),
  inbox: z.object({ counts: InboxCounts }),
  /** The stream cannot say what it missed: read again what is shown. */
  resync: z.object({}),
} as const;
export type Events = { [Name in keyof typeof EVENTS]: z.infer<(typeof EVENTS)[Name]> };
