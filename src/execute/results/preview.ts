import { cutText, jsonBytes } from '../../json-size.ts';

export interface Preview {
  readonly value: unknown;
  /** The omissions, and where: `result.items: 40 of 1234 items`. */
  readonly shown: readonly string[];
}

/** Lists with more items are shown from their start; the items of shorter ones share the space. */
const SHORT_LIST = 20;
/** The least space for a member: more members than that leaves room for are left out. */
const MIN_SHARE = 40;
const ROUNDS = 3;
const MAX_NOTES = 8;
/** Longer paths are cut in the middle. */
const MAX_PATH = 100;
/** The space that `cutText` takes for its note. */
const CUT_NOTE = 50;
/** Bytes that may be measured: this many times the limit, at most `MAX_MEASURED`, and four times the limit besides. */
const MAX_PASSES = 64;
const MAX_MEASURED = 8_000_000;

/** A preview in the making. */
interface Draft {
  readonly notes: string[];
  /** How many bytes may still be measured. Then all that is not known to fit is shown empty. */
  left: number;
  /** Objects that are larger than so many bytes: listing the keys of a large one again would be slow. */
  readonly larger: Map<unknown, number>;
}

/**
 * Shows the beginning of a value in at most `max` bytes of JSON, with the same shape: lists and objects with fewer members,
 * texts cut. The time it takes is bounded by `max`, however large the value is.
 */
export function previewOf(value: unknown, max: number, root = 'result'): Preview {
  let left = 4 * max + Math.min(MAX_PASSES * max, MAX_MEASURED);
  const larger: Draft['larger'] = new Map();
  for (let budget = max; budget > 1; budget = Math.floor(budget / 2)) {
    const draft: Draft = { notes: [], left, larger };
    const shown = shorten(value, budget, root, draft);
    if (jsonBytes(shown, max) !== Infinity) return { value: shown, shown: draft.notes.slice(0, MAX_NOTES) };
    left = Math.max(draft.left, 4 * budget);
  }
  return { value: null, shown: [`${root}: nothing, since ${max} bytes hold none of it`] };
}

/** Measures a value; Infinity if it does not fit, or if too much was measured before. */
function bytesOf(value: unknown, max: number, draft: Draft): number {
  const limit = Math.max(0, max);
  if (draft.left <= 0 || limit <= (draft.larger.get(value) ?? -1)) return Infinity;
  const bytes = jsonBytes(value, limit);
  draft.left -= 1 + Math.min(bytes, limit);
  if (bytes === Infinity && typeof value === 'object') draft.larger.set(value, limit);
  return bytes;
}

function shorten(value: unknown, max: number, path: string, draft: Draft): unknown {
  if (bytesOf(value, max, draft) !== Infinity) return value;
  if (typeof value === 'string') return shortenText(value, max, path, draft);
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value))
    return shortenObject(value as Readonly<Record<string, unknown>>, max, path, draft);
  const isShort = value.length <= SHORT_LIST && value.length * MIN_SHARE <= max;
  return isShort
    ? shareAmong([...value.entries()], max, path, draft).map(([, item]) => item)
    : shortenList(value, max, path, draft);
}

function note(draft: Draft, path: string, shown: string): void {
  if (draft.notes.length >= MAX_NOTES) return;
  const half = MAX_PATH / 2;
  const where = path.length > MAX_PATH ? `${path.slice(0, half)}…${path.slice(-half)}`.toWellFormed() : path;
  draft.notes.push(`${where}: ${shown}`);
}

function shortenText(text: string, max: number, path: string, draft: Draft): string {
  const room = Math.max(0, max - CUT_NOTE);
  let length = Math.max(0, Math.min(text.length, room - 2));
  for (let round = 0; length > 0; round += 1) {
    // Escapes and characters of several bytes take more space than they count.
    const bytes = Buffer.byteLength(JSON.stringify(text.slice(0, length)));
    if (bytes <= room) break;
    length = Math.floor(length * (round < ROUNDS ? room / bytes : 1 / 2));
  }
  note(draft, path, `${length} of ${text.length} characters`);
  return max < MIN_SHARE ? '' : cutText(text, length);
}

function shortenList(list: readonly unknown[], max: number, path: string, draft: Draft): unknown[] {
  const shown: unknown[] = [];
  let left = max - 2;
  for (const item of list) {
    const bytes = bytesOf(item, left - 1, draft);
    if (bytes > left - 1) break;
    left -= bytes + 1;
    shown.push(item);
  }
  const isCut = shown.length === 0 && list.length > 0 && left > MIN_SHARE;
  note(draft, path, `${shown.length + (isCut ? 1 : 0)} of ${list.length} items`);
  if (isCut) shown.push(shorten(list[0], left - 1, `${path}[0]`, draft));
  return shown;
}

function shortenObject(
  object: Readonly<Record<string, unknown>>,
  max: number,
  path: string,
  draft: Draft,
): Record<string, unknown> {
  const keys = Object.keys(object);
  const members: (readonly [string, unknown])[] = [];
  let left = max - 2;
  for (const key of keys) {
    left -= key.length + 4 + MIN_SHARE;
    if (left <= 0) break;
    members.push([key, object[key]]);
  }
  if (members.length < keys.length) note(draft, path, `${members.length} of ${keys.length} members`);
  return Object.fromEntries(shareAmong(members, max, path, draft));
}

/** Gives each member the space it needs; the large ones share what the small ones leave. */
function shareAmong<Key extends string | number>(
  members: readonly (readonly [Key, unknown])[],
  max: number,
  path: string,
  draft: Draft,
): (readonly [Key, unknown])[] {
  const keyBytes = (key: Key) => (typeof key === 'string' ? Buffer.byteLength(JSON.stringify(key)) + 2 : 1);
  let left = members.reduce((sum, [key]) => sum - keyBytes(key), max - 2);
  let large = members;
  let share = 0;
  for (let round = 0; round < ROUNDS && large.length > 0; round += 1) {
    share = Math.floor(left / large.length);
    large = large.filter(([, value]) => {
      const bytes = bytesOf(value, share, draft);
      if (bytes !== Infinity) left -= bytes;
      return bytes === Infinity;
    });
  }
  share = Math.max(0, Math.floor(left / Math.max(1, large.length)));
  const cut = new Set(large.map(([key]) => key));
  return members.map(([key, value]) => {
    const inner = typeof key === 'number' ? `${path}[${key}]` : `${path}.${cutText(key, MIN_SHARE)}`;
    return [key, cut.has(key) ? shorten(value, share, inner, draft) : value] as const;
  });
}
