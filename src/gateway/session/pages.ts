import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { DirectoryEntry } from '../../access/index.ts';
import type { JsonObject } from '../../json.ts';
import { fitItem } from './shorten-list-item.ts';

/** Large, because not every client asks for the second page. */
export const PAGE_SIZE = 1000;
/** Keeps the whole message under a megabyte. Clients close the connection at ten. */
export const PAGE_BYTES = 900_000;

/** One page of a list: filled until it holds `PAGE_SIZE` items or `PAGE_BYTES` bytes. */
export class Page {
  readonly items: JsonObject[] = [];
  #bytesLeft = PAGE_BYTES;

  get slots(): number {
    return PAGE_SIZE - this.items.length;
  }

  /** Puts an item on the page, shortened if it is large. Returns false if the page is full. */
  add(listed: JsonObject, key: string): boolean {
    if (this.slots === 0) return false;
    const { item, bytes } = fitItem(listed, key);
    // An item whose name alone is too long to send is left out.
    if (item === undefined) return true;
    if (bytes + 1 > this.#bytesLeft) return false;
    this.#bytesLeft -= bytes + 1;
    this.items.push(item);
    return true;
  }
}

/**
 * Returns one page of a list sorted by `key`. The cursor names the last item seen, so a list that changes between two pages
 * neither repeats nor skips what stayed.
 */
export function pageOf(
  entries: readonly DirectoryEntry[],
  key: string,
  cursor: unknown,
): { items: JsonObject[]; nextCursor?: string } {
  const after = cursor === undefined ? undefined : decode(cursor);
  const start = after === undefined ? 0 : firstAfter(entries, key, after);
  const filled = new Page();
  for (let at = start; at < entries.length; at++) {
    if (filled.add((entries[at] as DirectoryEntry).listed, key)) continue;
    const last = filled.items.at(-1)?.[key];
    return { items: filled.items, nextCursor: Buffer.from(String(last)).toString('base64url') };
  }
  return { items: filled.items };
}

function decode(cursor: unknown): string {
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString('utf8') : '';
  if (!text || Buffer.from(text).toString('base64url') !== cursor) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
  }
  return text;
}

function firstAfter(entries: readonly DirectoryEntry[], key: string, after: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (String(entries[middle]?.listed[key]) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}
