import { z } from 'zod';
import { Data, Id, Text } from './common.ts';

export const ExecuteInput = z.strictObject({
  intent: z.string().min(1).max(10_000),
  code: z.string().min(1).max(1_000_000),
  args: z.record(z.string(), z.unknown()).optional(),
  name: z.string().max(200).optional(),
  remember: z.boolean().optional(),
});
/** The answer or error of pml_execute. `run` is the id for `/runs/:id`; null if the call was refused before it ran. */
export const ExecuteAnswer = z.looseObject({
  run: Id.nullable(),
  ok: z.boolean(),
  ms: z.number(),
  result: Data,
  error: z.object({ code: z.string(), message: Text, hint: Text.optional() }).optional(),
});
export type ExecuteAnswer = z.infer<typeof ExecuteAnswer>;

export const ToolTypes = z.object({
  /** TypeScript declarations of `mcp`, `args` and `pml`. */
  text: Text,
  tools: z.array(z.object({ path: Text, signature: Text, description: Text })),
});
export type ToolTypes = z.infer<typeof ToolTypes>;
