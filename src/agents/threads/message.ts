import { z } from 'zod';

/** The longest text of a person or a model, in characters; a longer one is refused or cut. */
export const MAX_MESSAGE = 200_000;
/** The longest arguments of all tool calls of one message, in characters of JSON. */
export const MAX_INPUT = 200_000;
/** A model that asks for more tools in one step is broken. */
export const MAX_CALLS = 64;
/** How much of a tool's result a model is given, in characters: a little more than an answer of pml_execute. */
export const MAX_RESULT = 60_000;

export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
}

/** One message of a thread, independent of any provider. */
export type ThreadMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: ToolCall[] }
  | { role: 'tool'; id: string; name: string; text: string; isError: boolean };
export type ToolMessage = ThreadMessage & { role: 'tool' };

/** The tokens and money that a run has used so far. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** Absent if no price is known. */
  costUsd?: number | undefined;
}

const toolCall: z.ZodType<ToolCall> = z.strictObject({
  id: z.string().max(500),
  name: z.string().max(500),
  input: z.unknown(),
});

export const threadMessage: z.ZodType<ThreadMessage> = z.discriminatedUnion('role', [
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

export const usageCount: z.ZodType<Usage> = z.strictObject({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  costUsd: z.number().min(0).optional(),
});
