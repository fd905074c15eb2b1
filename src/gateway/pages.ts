import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Entry } from '../access/index.ts';
import type { Listed } from '../upstream/index.ts';

/** Large, since not every client asks for the second page. */
export const PAGE_SIZE = 1000;

/**
 * One page of a list sorted by `key`. The cursor names the last item seen, so a list that changes between two pages
 * neither repeats nor skips what stayed.
 */
export function page(
  entries: readonly Entry[],
  key: string,
  cursor: unknown,
): { items: Listed[]; nextCursor?: string } {
  const after = cursor === undefined ? undefined : decode(cursor);
  const start = after === undefined ? 0 : firstAfter(entries, key, after);
  const items = entries.slice(start, start + PAGE_SIZE).map(({ listed }) => listed);
  const more = start + PAGE_SIZE < entries.length;
  const last = items.at(-1)?.[key];
  return { items, ...(more && { nextCursor: Buffer.from(String(last)).toString('base64url') }) };
}

function decode(cursor: unknown): string {
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString('utf8') : '';
  if (!text || Buffer.from(text).toString('base64url') !== cursor) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
  }
  return text;
}

function firstAfter(entries: readonly Entry[], key: string, after: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (String(entries[middle]?.listed[key]) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}
