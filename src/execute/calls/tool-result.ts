import { PmlError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';

/** Tells most prose from JSON: a failed parse costs about 20 µs. */
const MAY_BE_JSON = /^\s*(?:[[{"\-\d]|(?:true|false|null)\s*$)/;

/** Reduces a tool's result to the value that code gets: the structured content, else its text, parsed if it is JSON. */
export function plainValueOf(result: JsonObject): unknown {
  const content: unknown[] = Array.isArray(result.content) ? result.content : [];
  const texts = content.flatMap((block) =>
    isJsonObject(block) && block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
  if (result.isError)
    throw new PmlError('tool_failed', texts.join('\n') || 'The tool failed and did not say why.');
  if (result.structuredContent !== undefined) return result.structuredContent;
  // Images, audio and resources have no plain value; code gets the content as it is.
  if (texts.length !== content.length) return content;
  const text = texts.join('\n');
  if (!MAY_BE_JSON.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
