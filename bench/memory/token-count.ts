import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import type { Json } from '../../src/json.ts';

export const ENCODING = 'o200k_base';

export function tokensOf(text: string): number {
  return encode(text).length;
}

/** Counts the tokens that a model writes to call a tool. */
export function tokensOfCall(name: string, args: object): number {
  return tokensOf(JSON.stringify({ name, arguments: args }));
}

/** Counts the tokens that a model reads of an answer: its text alone, since the structured content repeats it. */
export function tokensOfAnswer(content: readonly unknown[]): number {
  return (content as readonly { text?: string }[]).reduce((sum, { text }) => sum + tokensOf(text ?? ''), 0);
}

/** Counts the tokens that a client loads of a list of tools. */
export function tokensOfTools(tools: readonly object[]): number {
  const loaded = tools.map((tool) => {
    const { name, description, inputSchema } = tool as Record<string, Json>;
    return { name, description, inputSchema };
  });
  return tokensOf(JSON.stringify(loaded));
}
