import { PmlError } from '../../errors.ts';

/** The place of the last row of a page: the text of its sort key, and its id. */
export type KeysetCursor = readonly [key: string, id: string];

/** Writes a cursor. `sort` names the order that it belongs to. */
export function writeCursor(sort: string, [key, id]: KeysetCursor): string {
  return Buffer.from(JSON.stringify([sort, key, id])).toString('base64url');
}

/** Reads a cursor back. Fails if the text is no cursor, or one of another order. */
export function readCursor(text: string, sort: string): KeysetCursor {
  try {
    const [forSort, key, id] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    if (
      forSort === sort &&
      typeof key === 'string' &&
      typeof id === 'string' &&
      !`${key}${id}`.includes('\0')
    )
      return [key, id];
  } catch {
    // Reported below.
  }
  throw new PmlError(
    'invalid_arguments',
    'This cursor does not belong to this list. Read the list from its start.',
  );
}

/** Condition that a row comes after the cursor, whose values are added to the parameters. */
export function keysetAfter(
  { key, type, order, id }: { key: string; type: string; order: 'asc' | 'desc'; id: string },
  [value, last]: KeysetCursor,
  values: unknown[],
): string {
  const sign = order === 'asc' ? '>' : '<';
  return `((${key}), ${id}) ${sign} ($${values.push(value)}::${type}, $${values.push(last)})`;
}
