import { isJsonObject, type JsonObject } from '../../json.ts';
import { MAX_RESULT } from '../threads/index.ts';

/** Turns the result of an MCP tool into the text that a model reads, cut if it is too long. */
export function resultText({ content, structuredContent }: JsonObject): string {
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const parts: string[] = [];
  let length = 0;
  for (const block of blocks) {
    const part = blockText(block);
    parts.push(part);
    length += part.length + 1;
    if (length > MAX_RESULT) return cutText(parts.join('\n'), blocks.length - parts.length);
  }
  if (parts.length > 0) return parts.join('\n');
  if (structuredContent === undefined) return '(no output)';
  return cutText(JSON.stringify(structuredContent), 0);
}

/** Cuts a text to what a model is given, and tells the model that there was more. */
export function cutText(text: string, blocksLeft: number): string {
  if (text.length <= MAX_RESULT && blocksLeft === 0) return text;
  const more = blocksLeft > 0 ? ` and ${blocksLeft} more parts` : '';
  const note = `\n… ${text.length} characters in all${more}; the rest was left out. Ask for less, or work with it in code.`;
  return `${text.slice(0, MAX_RESULT - note.length).toWellFormed()}${note}`;
}

function blockText(block: JsonObject): string {
  const { type, text, uri, mimeType, data, resource } = block;
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'resource' && isJsonObject(resource))
    return typeof resource.text === 'string' ? resource.text : `(resource ${short(resource.uri)})`;
  if (type === 'resource_link') return `(resource ${short(uri)})`;
  const size = typeof data === 'string' ? `, ${data.length} characters of base64` : '';
  return `(${short(type)} ${short(mimeType)}${size}, left out)`;
}

function short(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 500) : '';
}
