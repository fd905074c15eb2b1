import { z } from 'zod';
import { CapabilityRef, Data, Ms, Order, PageQuery, pageOf, Rate, SeriesPoint, Text } from './common.ts';

export const ToolQuery = PageQuery.extend({
  q: z.string().max(2000).optional(),
  server: z.string().max(200).optional(),
  sort: z.enum(['name', 'calls', 'errors', 'p95']).default('name'),
  order: Order.optional(),
});
export type ToolQuery = z.infer<typeof ToolQuery>;

export const ToolItem = z.object({
  /** `server:tool`. */
  name: Text,
  listed_name: Text,
  server: Text,
  tool: Text,
  description: Text,
  read_only: z.boolean(),
  /** Calls of the last 30 days, as are the other figures. */
  calls: z.int(),
  success_rate: Rate,
  p50_ms: Ms,
  p95_ms: Ms,
  /** How many capabilities use it. */
  used_by: z.int(),
  /** True if a capability no longer fits it. */
  stale: z.boolean(),
});
export type ToolItem = z.infer<typeof ToolItem>;
export const ToolPage = pageOf(ToolItem);

export const Tool = ToolItem.omit({ used_by: true }).extend({
  input_schema: Data,
  output_schema: Data.optional(),
  annotations: Data,
  signature: Text,
  /** The most used ones of `used_by_total`. */
  used_by: z.array(CapabilityRef),
  used_by_total: z.int(),
  series: z.array(SeriesPoint),
});
export type Tool = z.infer<typeof Tool>;

export const ToolCallInput = z.strictObject({ args: z.record(z.string(), z.unknown()).default({}) });
export const ToolCallAnswer = z.object({
  ok: z.boolean(),
  /** The content blocks of the result, as the server sent them, cut if they are long. */
  content: z.array(Data),
  structured: Data.optional(),
  truncated: z.object({ bytes: z.int() }).optional(),
  ms: z.number(),
});
export type ToolCallAnswer = z.infer<typeof ToolCallAnswer>;
