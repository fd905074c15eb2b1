import type { JsonObject } from '../../json.ts';
import { cutText, jsonBytes } from '../../measure.ts';

/** More than any item needs that a model is to read; some thirty of them still fit on a page. */
export const MAX_ITEM_BYTES = 32 * 1024;
const SHORT_TEXT = 2000;
const SHORT_MEMBER_BYTES = 1000;
const ANY_OBJECT = { type: 'object' };

export interface FittedItem {
  /** Undefined if even the name or URI alone is too long. */
  readonly item: JsonObject | undefined;
  readonly bytes: number;
}

/** Servers' items are listed again and again, and are the same objects until the server changes its list. */
const known = new WeakMap<JsonObject, FittedItem>();

/**
 * The item as it is listed, found under `key`: as it is, or shortened if it is too large. Shortened are the texts first,
 * then the schemas and whatever else is large. Calls go by the name, so a shortened item can still be used.
 */
export function fitItem(listed: JsonObject, key: string): FittedItem {
  const fitted = known.get(listed) ?? fit(listed, key);
  known.set(listed, fitted);
  return fitted;
}

function fit(listed: JsonObject, key: string): FittedItem {
  for (const shorten of [asItIs, withShortTexts, withShortMembers, withNothingElse]) {
    const item = shorten(listed, key);
    const bytes = jsonBytes(item, MAX_ITEM_BYTES);
    if (bytes !== Infinity) return { item, bytes };
  }
  return { item: undefined, bytes: 0 };
}

function asItIs(listed: JsonObject): JsonObject {
  return listed;
}

function withShortTexts(listed: JsonObject, key: string): JsonObject {
  return mapped(listed, (name, value) =>
    typeof value === 'string' && name !== key ? cutText(value, SHORT_TEXT) : value,
  );
}

function withShortMembers(listed: JsonObject, key: string): JsonObject {
  return mapped(withShortTexts(listed, key), (name, value) => {
    if (name === key || typeof value === 'string' || jsonBytes(value, SHORT_MEMBER_BYTES) !== Infinity)
      return value;
    return name === 'inputSchema' ? ANY_OBJECT : undefined;
  });
}

function withNothingElse(listed: JsonObject, key: string): JsonObject {
  const kept = [key, 'name', 'title', 'description', 'inputSchema'];
  return mapped(withShortMembers(listed, key), (name, value) => (kept.includes(name) ? value : undefined));
}

function mapped(listed: JsonObject, map: (name: string, value: unknown) => unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(listed).flatMap(([name, value]) => {
      const changed = map(name, value);
      return changed === undefined ? [] : [[name, changed]];
    }),
  );
}
