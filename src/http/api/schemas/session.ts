import { z } from 'zod';
import { Id, Text, Time } from './common.ts';

export const WorkspaceRef = z.object({
  id: Id,
  config: Text.nullable(),
  scope: Text,
  sessions: z.int(),
  /** The names of its servers. */
  servers: z.array(Text),
});

export const Session = z.object({
  version: Text,
  /** Goes into the header `x-pml-token` of every request that changes something. New at each start. */
  token: Text,
  started_at: Time,
  user: Text,
  scope: z.object({ org: Text, project: Text }),
  /** The workspace that is answered for without `?workspace=`. */
  workspace: Id,
  workspaces: z.array(WorkspaceRef),
  mcp_url: Text,
  /** The latest event: a page that asked for this first, and reads then, misses nothing with `/events?after=`. */
  last_event: Id.optional(),
  /** Why the servers of the config were not started, and what to do. */
  untrusted: Text.optional(),
});
export type Session = z.infer<typeof Session>;
