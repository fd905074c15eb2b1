/** ASCII characters per token, measured on the tool lists of 427 servers: 3.7 to 4.7 for nine servers out of ten. */
const ASCII_PER_TOKEN = 4.2;
/** Tokens per character of any other script. */
const TOKENS_PER_OTHER = 0.7;

/**
 * Estimates how many tokens a model reads in a text, without a tokenizer. For the list of a whole server it is within about
 * a fifth of what gpt-tokenizer counts.
 */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) others += 1;
  return Math.ceil((text.length - others) / ASCII_PER_TOKEN + others * TOKENS_PER_OTHER);
}
