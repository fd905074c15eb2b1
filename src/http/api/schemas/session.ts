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
  /** The workspace that this answer is about: that of `?workspace=`, or of `pml up`. */
  workspace: Id,
  workspaces: z.array(WorkspaceRef),
  mcp_url: Text,
  /** The latest event. A page that gets this first and its data afterwards misses nothing with `/events?after=`. */
  last_event: Id.optional(),
  /** Why the servers of the config were not started, and what to do. */
  untrusted: Text.optional(),
});
export type Session = z.infer<typeof Session>;
