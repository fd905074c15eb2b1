import type { Redactor } from '../../secrets/index.ts';

/** Data that is small enough to be kept until it is stored. */
export interface BoundedData {
  readonly value: unknown;
  /** True if it is only a part. */
  readonly isCut: boolean;
}

/** How much is kept of data: the length of a text, members of a list or an object, levels, and all characters together. */
interface Bounds {
  text: number;
  members: number;
  levels: number;
  characters: number;
}

const FULL: Bounds = { text: 4000, members: 100, levels: 12, characters: 30_000 };
const BRIEF: Bounds = { text: 300, members: 15, levels: 5, characters: 8000 };
/** Characters kept beyond the cut, so that a secret that spans it is still recognised. */
const LOOK_AHEAD = 4096;
/** Counted for each value besides its text. */
const OVERHEAD = 8;
const MAX_JSON = 40_000;

/** Takes the part of data that may be stored, in a time that does not grow with the data. */
export function boundData(value: unknown): BoundedData {
  return cut(value, FULL, LOOK_AHEAD);
}

/** Writes bounded data as JSON, without its secrets. `isCut` tells whether it is only a part. */
export function redactData(
  { value, isCut }: BoundedData,
  redactor: Redactor,
): { json: string; isCut: boolean } {
  const clean = redactor.json(value);
  for (const bounds of [FULL, BRIEF]) {
    const shown = cut(clean, bounds, 0);
    const json = JSON.stringify(shown.value ?? null);
    if (json.length <= MAX_JSON) return { json, isCut: isCut || shown.isCut };
  }
  return { json: 'null', isCut: true };
}

function cut(value: unknown, bounds: Bounds, lookAhead: number): BoundedData {
  const state = { left: bounds.characters + lookAhead, isCut: false };
  return { value: cutValue(value, bounds.levels, { bounds, lookAhead, state }), isCut: state.isCut };
}

interface Cutting {
  bounds: Bounds;
  lookAhead: number;
  state: { left: number; isCut: boolean };
}

function cutValue(value: unknown, levels: number, cutting: Cutting): unknown {
  const { bounds, lookAhead, state } = cutting;
  state.left -= OVERHEAD;
  if (typeof value === 'string') {
    const most = Math.max(0, Math.min(bounds.text + lookAhead, state.left + lookAhead));
    state.left -= Math.min(value.length, most);
    if (value.length <= most) return value;
    state.isCut = true;
    return `${value.slice(0, most).toWellFormed()}…`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0 || state.left <= 0) {
    state.isCut = true;
    return Array.isArray(value) ? [] : {};
  }
  if (Array.isArray(value)) return cutList(value, levels, cutting);
  return cutObject(value as Record<string, unknown>, levels, cutting);
}

function cutList(list: readonly unknown[], levels: number, cutting: Cutting): unknown[] {
  const { bounds, state } = cutting;
  const shown: unknown[] = [];
  for (const item of list) {
    if (shown.length === bounds.members || state.left <= 0) {
      state.isCut = true;
      break;
    }
    shown.push(cutValue(item, levels - 1, cutting));
  }
  return shown;
}

function cutObject(object: Record<string, unknown>, levels: number, cutting: Cutting): object {
  const { bounds, state } = cutting;
  const shown: [string, unknown][] = [];
  // Not Object.entries, which lists all members of a large object.
  for (const key in object) {
    if (shown.length === bounds.members || state.left <= 0) {
      state.isCut = true;
      break;
    }
    state.left -= key.length;
    shown.push([key.slice(0, bounds.text), cutValue(object[key], levels - 1, cutting)]);
  }
  return Object.fromEntries(shown);
}
