import type { JsonObject } from '../../json.ts';
import { cutText, jsonBytes } from '../../json-size.ts';

/** More than any usable item needs; about 27 of the largest still fit on a page. */
export const MAX_ITEM_BYTES = 32 * 1024;
const SHORT_TEXT = 2000;
const SHORT_MEMBER_BYTES = 1000;
const ANY_OBJECT = { type: 'object' };

export interface FittedItem {
  /** Undefined if even the name or URI alone is too long. */
  readonly item: JsonObject | undefined;
  readonly bytes: number;
}

/** Servers' items are listed again and again, and stay the same objects until the server changes its list. */
const cache = new WeakMap<JsonObject, FittedItem>();

/**
 * Returns an item as it is listed: unchanged, or shortened if it is too large. Texts are shortened first, then schemas
 * and other large members, never the name or URI under `key`. Calls use only that, so a shortened item still works.
 */
export function fitItem(listed: JsonObject, key: string): FittedItem {
  const fitted = cache.get(listed) ?? fit(listed, key);
  cache.set(listed, fitted);
  return fitted;
}

function fit(listed: JsonObject, key: string): FittedItem {
  for (const shorten of [unchanged, withShortTexts, withShortMembers, withKnownMembers]) {
    const item = shorten(listed, key);
    const bytes = jsonBytes(item, MAX_ITEM_BYTES);
    if (bytes !== Infinity) return { item, bytes };
  }
  return { item: undefined, bytes: 0 };
}

function unchanged(listed: JsonObject): JsonObject {
  return listed;
}

function withShortTexts(listed: JsonObject, key: string): JsonObject {
  return mapMembers(listed, (name, value) =>
    typeof value === 'string' && name !== key ? cutText(value, SHORT_TEXT) : value,
  );
}

function withShortMembers(listed: JsonObject, key: string): JsonObject {
  return mapMembers(withShortTexts(listed, key), (name, value) => {
    if (name === key || typeof value === 'string' || jsonBytes(value, SHORT_MEMBER_BYTES) !== Infinity)
      return value;
    return name === 'inputSchema' ? ANY_OBJECT : undefined;
  });
}

function withKnownMembers(listed: JsonObject, key: string): JsonObject {
  const kept = [key, 'name', 'title', 'description', 'inputSchema'];
  return mapMembers(withShortMembers(listed, key), (name, value) =>
    kept.includes(name) ? value : undefined,
  );
}

function mapMembers(listed: JsonObject, map: (name: string, value: unknown) => unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(listed).flatMap(([name, value]) => {
      const changed = map(name, value);
      return changed === undefined ? [] : [[name, changed]];
    }),
  );
}
