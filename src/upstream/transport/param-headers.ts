import { isJsonObject } from '../../json.ts';

const SENTINEL = { start: '=?base64?', end: '?=' };
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Returns the headers that mirror arguments of a call over HTTP (SEP-2243): a tool marks a property with `x-mcp-header`, and a
 * modern server refuses the call without the header. The SDK mirrors them only in `callTool()`, which PML cannot use
 * because it strips results.
 */
export function paramHeaders(schema: unknown, args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  const visit = (node: unknown, value: unknown) => {
    if (!isJsonObject(node)) return;
    const name = node['x-mcp-header'];
    const text = asText(value);
    if (typeof name === 'string' && TOKEN.test(name) && text !== undefined)
      headers[`Mcp-Param-${name}`] = encodeHeaderValue(text);
    if (!isJsonObject(node.properties)) return;
    for (const [key, child] of Object.entries(node.properties))
      visit(child, isJsonObject(value) ? value[key] : undefined);
  };
  visit(schema, args);
  return headers;
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** Encodes text in base64 if a header cannot carry it as it is. */
export function encodeHeaderValue(text: string): string {
  const plain = /^[\t\x20-\x7e]+$/.test(text) && text.trim() === text;
  const looksEncoded = text.startsWith(SENTINEL.start) && text.endsWith(SENTINEL.end);
  return plain && !looksEncoded ? text : SENTINEL.start + Buffer.from(text).toString('base64') + SENTINEL.end;
}
