import { z } from 'zod';
import { Data, Id, PageQuery, pageOf, Text, Time } from './common.ts';

export const RunQuery = PageQuery.extend({
  server: z.string().max(200).optional(),
  tool: z.string().max(400).optional(),
  /** The id of a capability. */
  capability: z.string().max(200).optional(),
  user: z.string().max(200).optional(),
  agent: z.string().max(200).optional(),
  outcome: z.enum(['ok', 'failed']).optional(),
  /** A time, or how far back: `24h`, `7d`. */
  since: z.string().max(40).optional(),
  until: z.string().max(40).optional(),
  /** `run`: code and capabilities that clients ran; `call`: calls of tools. */
  kind: z.enum(['run', 'call']).optional(),
});
export type RunQuery = z.infer<typeof RunQuery>;

/** `call`: of a tool. `run`: of code that was sent. `capability`: of remembered code. */
export const RunKind = z.enum(['call', 'run', 'capability']);

export const JournalRow = z.object({
  id: Id,
  /** When it ended. */
  at: Time,
  kind: RunKind,
  name: Text,
  server: Text,
  tool: Text,
  capability_id: Id.optional(),
  /** The run that it belongs to; absent if a client made it itself. */
  run: Id.optional(),
  user: Text,
  agent: Text.optional(),
  ok: z.boolean(),
  ms: z.number(),
  cached: z.boolean(),
  error: Text.optional(),
});
export type JournalRow = z.infer<typeof JournalRow>;
export const JournalPage = pageOf(JournalRow);

export const RunCallQuery = z.object({
  calls_limit: z.coerce.number().int().min(1).max(1000).default(500),
  calls_cursor: z.string().max(200).optional(),
});
export const RunCall = z.object({
  id: Id,
  name: Text,
  capability_id: Id.optional(),
  /** From the start of the run. */
  start_ms: z.number(),
  ms: z.number(),
  ok: z.boolean(),
  cached: z.boolean(),
  error: Text.optional(),
  args: Data.optional(),
  result: Data.optional(),
  /** 1 for calls that the run made itself, 2 for those of a capability that it called. */
  depth: z.int(),
});
export type RunCall = z.infer<typeof RunCall>;

export const Run = z.object({
  id: Id,
  /** When it began. */
  at: Time,
  intent: Text.optional(),
  kind: RunKind,
  name: Text,
  capability_id: Id.optional(),
  version: z.int().optional(),
  run: Id.optional(),
  ok: z.boolean(),
  cached: z.boolean(),
  ms: z.number(),
  user: Text,
  agent: Text.optional(),
  code: Text.optional(),
  code_html: z.string().optional(),
  error: z.object({ message: Text, line: z.int().optional(), column: z.int().optional() }).optional(),
  args: Data.optional(),
  result: Data.optional(),
  /** How many bytes the whole result has, if `result` is only its beginning. */
  truncated: z.object({ bytes: z.int() }).optional(),
  logs: z.array(z.object({ level: Text, text: Text })),
  calls: z.array(RunCall),
  calls_total: z.int(),
  calls_next: z.string().optional(),
  /** True if there are no details: they were deleted, or none are kept for such calls. */
  gone: z.boolean().optional(),
});
export type Run = z.infer<typeof Run>;

export const Replayed = z.object({ passed: z.boolean(), differences: z.array(Text) });
export type Replayed = z.infer<typeof Replayed>;
