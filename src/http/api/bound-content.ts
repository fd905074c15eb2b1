import { isJsonObject, type JsonObject } from '../../json.ts';
import { jsonFits } from '../../json-size.ts';

/** In bytes of JSON: a page shows no more of one result. */
const MAX_BYTES = 256 * 1024;
const MAX_TEXT = 100_000;

interface BoundedContent {
  content: unknown[];
  structured?: unknown;
  truncated?: { bytes: number };
}

/** Bounds a tool's result to what a page can show. Long texts are cut, large media are replaced by their size. */
export function boundContent({ content, structuredContent }: JsonObject): BoundedContent {
  const blocks = Array.isArray(content) ? content : [];
  const fits = jsonFits(blocks, MAX_BYTES);
  const shown: BoundedContent = { content: fits ? blocks : cutBlocks(blocks) };
  const hasStructure = structuredContent !== undefined;
  const isWhole = fits && (!hasStructure || jsonFits(structuredContent, MAX_BYTES));
  if (hasStructure && jsonFits(structuredContent, MAX_BYTES)) shown.structured = structuredContent;
  if (!isWhole)
    shown.truncated = { bytes: Buffer.byteLength(JSON.stringify({ content, structuredContent })) };
  return shown;
}

function cutBlocks(blocks: readonly unknown[]): unknown[] {
  const shown: unknown[] = [];
  let left = MAX_BYTES;
  for (const block of blocks) {
    const cut = cutBlock(block, Math.min(left, MAX_TEXT));
    left -= JSON.stringify(cut).length;
    if (left < 0) break;
    shown.push(cut);
  }
  return shown;
}

function cutBlock(block: unknown, limit: number): unknown {
  if (!isJsonObject(block) || jsonFits(block, limit)) return block;
  if (typeof block.text === 'string')
    return { type: 'text', text: `${block.text.slice(0, limit / 4).toWellFormed()}…` };
  return {
    type: 'text',
    text: `[${String(block.type).slice(0, 40)}: ${JSON.stringify(block).length} bytes, too large to show]`,
  };
}
