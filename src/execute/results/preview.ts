import { cutText, jsonBytes } from '../../measure.ts';

export interface Preview {
  readonly value: unknown;
  /** What it leaves out, and where: `result.items: 40 of 1234 items`. */
  readonly shown: readonly string[];
}

/** Lists with more items are shown from their start; the items of shorter ones share the space. */
const SHORT_LIST = 20;
/** The least space for a member: more members than that leaves room for are left out. */
const MIN_SHARE = 40;
const ROUNDS = 3;
const MAX_NOTES = 8;
/** The space that `cutText` takes for its note. */
const CUT_NOTE = 50;

/**
 * Shows the beginning of a value in at most `max` bytes of JSON, with the same shape: lists and objects with fewer members,
 * texts cut. The time it takes is bounded by `max`, however large the value is.
 */
export function previewOf(value: unknown, max: number, root = 'result'): Preview {
  for (let budget = max; budget > 1; budget = Math.floor(budget / 2)) {
    const notes: string[] = [];
    const shown = shorten(value, budget, root, notes);
    if (jsonBytes(shown, max) !== Infinity) return { value: shown, shown: notes.slice(0, MAX_NOTES) };
  }
  return { value: null, shown: [`${root}: nothing, since ${max} bytes hold none of it`] };
}

function shorten(value: unknown, max: number, path: string, notes: string[]): unknown {
  if (jsonBytes(value, max) !== Infinity) return value;
  if (typeof value === 'string') return shortenText(value, max, path, notes);
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) {
    return value.length <= SHORT_LIST
      ? shareAmong(
          value.map((item, index) => [index, item] as const),
          max,
          path,
          notes,
        ).map(([, item]) => item)
      : shortenList(value, max, path, notes);
  }
  return shortenObject(value as Readonly<Record<string, unknown>>, max, path, notes);
}

function shortenText(text: string, max: number, path: string, notes: string[]): string {
  const room = Math.max(0, max - CUT_NOTE);
  let length = Math.max(0, Math.min(text.length, room - 2));
  for (let round = 0; length > 0; round += 1) {
    // Escapes and characters of several bytes take more space than they count.
    const bytes = Buffer.byteLength(JSON.stringify(text.slice(0, length)));
    if (bytes <= room) break;
    length = Math.floor(length * (round < ROUNDS ? room / bytes : 1 / 2));
  }
  notes.push(`${path}: ${length} of ${text.length} characters`);
  return cutText(text, length);
}

function shortenList(list: readonly unknown[], max: number, path: string, notes: string[]): unknown[] {
  const shown: unknown[] = [];
  let left = max - 2;
  for (const item of list) {
    const bytes = jsonBytes(item, Math.max(0, left - 1));
    if (bytes > left - 1) break;
    left -= bytes + 1;
    shown.push(item);
  }
  const count = Math.max(shown.length, 1);
  notes.push(`${path}: ${count} of ${list.length} items`);
  if (shown.length === 0) shown.push(shorten(list[0], left - 1, `${path}[0]`, notes));
  return shown;
}

function shortenObject(
  object: Readonly<Record<string, unknown>>,
  max: number,
  path: string,
  notes: string[],
): Record<string, unknown> {
  const members: (readonly [string, unknown])[] = [];
  let left = max - 2;
  let count = 0;
  for (const key of Object.keys(object)) {
    count += 1;
    if (left <= 0) continue;
    left -= key.length + 4 + MIN_SHARE;
    if (left > 0) members.push([key, object[key]]);
  }
  if (members.length < count) notes.push(`${path}: ${members.length} of ${count} members`);
  return Object.fromEntries(shareAmong(members, max, path, notes));
}

/** Gives each member the space it needs; the large ones share what the small ones leave. */
function shareAmong<Key extends string | number>(
  members: readonly (readonly [Key, unknown])[],
  max: number,
  path: string,
  notes: string[],
): (readonly [Key, unknown])[] {
  const keyBytes = (key: Key) => (typeof key === 'string' ? Buffer.byteLength(JSON.stringify(key)) + 2 : 1);
  let left = members.reduce((sum, [key]) => sum - keyBytes(key), max - 2);
  let large = members;
  let share = 0;
  for (let round = 0; round < ROUNDS && large.length > 0; round += 1) {
    share = Math.floor(left / large.length);
    large = large.filter(([, value]) => {
      const bytes = jsonBytes(value, Math.max(0, share));
      if (bytes !== Infinity) left -= bytes;
      return bytes === Infinity;
    });
  }
  share = Math.max(0, Math.floor(left / Math.max(1, large.length)));
  const cut = new Set(large.map(([key]) => key));
  return members.map(([key, value]) => {
    const inner = typeof key === 'number' ? `${path}[${key}]` : `${path}.${cutText(key, MIN_SHARE)}`;
    return [key, cut.has(key) ? shorten(value, share, inner, notes) : value] as const;
  });
}
