import { z } from 'zod';

/** The longest text of a person or a model, in characters; a longer one is refused or cut. */
export const MAX_MESSAGE = 200_000;
/** The longest arguments of all tool calls of one message, in characters of JSON. */
export const MAX_INPUT = 200_000;
/** A model that asks for more tools in one step is broken. */
export const MAX_CALLS = 64;
/** How much of a tool's result a model is given, in characters: a little more than an answer of pml_execute. */
export const MAX_RESULT = 60_000;

const toolCall = z.strictObject({
  id: z.string().max(500),
  name: z.string().max(500),
  input: z.unknown(),
});

/** One message of a thread, in the words of no provider. */
export const threadMessage = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), text: z.string().max(MAX_MESSAGE) }),
  z.strictObject({
    role: z.literal('assistant'),
    text: z.string().max(MAX_MESSAGE),
    calls: z.array(toolCall).max(MAX_CALLS),
  }),
  z.strictObject({
    role: z.literal('tool'),
    id: z.string().max(500),
    name: z.string().max(500),
    text: z.string().max(MAX_RESULT),
    isError: z.boolean(),
  }),
]);

export type ToolCall = z.infer<typeof toolCall>;
export type ThreadMessage = z.infer<typeof threadMessage>;
export type ToolMessage = ThreadMessage & { role: 'tool' };

/** The tokens and money that a run has used so far. */
export const usageCount = z.strictObject({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  /** Absent if no price is known. */
  costUsd: z.number().min(0).optional(),
});
export type Usage = z.infer<typeof usageCount>;
