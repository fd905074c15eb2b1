import { z } from 'zod';
import { Ms, Rate, Text, Time } from './common.ts';

export const ServerItem = z.object({
  name: Text,
  state: z.enum(['starting', 'ready', 'down', 'stopped']),
  problem: Text.optional(),
  /** `2026-07-28`, or `older`; null while that is not known. */
  protocol: z.enum(['2026-07-28', 'older']).nullable(),
  transport: z.enum(['stdio', 'http', 'sse', 'in-process']),
  /** The command or the address, without secrets. */
  address: Text,
  pid: z.int().optional(),
  tools: z.int(),
  /** How many sessions the workspace has. */
  sessions: z.int(),
  /** Calls of the last 30 days, as are the other figures. */
  calls: z.int(),
  success_rate: Rate,
  p50_ms: Ms,
  /** True if its tools are not listed, but only found by discovery. */
  unlisted: z.boolean(),
  /** True if each session starts a server of its own. */
  per_session: z.boolean(),
});
export type ServerItem = z.infer<typeof ServerItem>;
export const ServerList = z.object({ items: z.array(ServerItem), next: z.null() });

export const ServerLogQuery = z.object({ lines: z.coerce.number().int().min(1).max(2000).default(200) });
export const LogLine = z.object({ at: Time, level: Text, text: Text });
export const ServerLog = z.object({ lines: z.array(LogLine) });
export type ServerLog = z.infer<typeof ServerLog>;
export const Restarted = z.object({
  state: z.enum(['starting', 'ready', 'down', 'stopped']),
  problem: Text.optional(),
});
export type Restarted = z.infer<typeof Restarted>;
