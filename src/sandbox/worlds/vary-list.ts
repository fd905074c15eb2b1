import { drawBelow, drawFrom, isDrawn, mixHash } from './hash.ts';
import type { ListRule } from './world-styles.ts';

/** Lists grow up to this. Longer ones are long enough. */
const MAX_GROWN = 60;
/** Literals up to this may be numbers of items: `slice(0, 3)`. */
const MAX_SIZE_LITERAL = 20;

export interface ListSource {
  readonly rule: ListRule;
  readonly shuffles: boolean;
  /** Numbers in the programs: lists get such lengths, too. */
  readonly sizes: readonly number[];
  /** Items for a list that has none. */
  readonly items: readonly unknown[];
}

/** The items of the made-up list: those of the recorded one, some of them repeated or left out. */
export function resizeList<Item>(list: readonly Item[], key: number, source: ListSource): Item[] {
  const { rule, shuffles } = source;
  const from = list.length === 0 && isDrawn(key, 41, 50) ? (source.items as readonly Item[]) : list;
  const isGrowing = rule === 'near' || rule === 'sized' || rule === 'longer';
  if (from.length === 0 || (from !== list && !isGrowing)) return [...list];
  const resized = pickItems(from, key, newLength(from.length, key, source));
  return shuffles ? shuffle(resized, key) : resized;
}

function newLength(length: number, key: number, { rule, sizes }: ListSource): number {
  switch (rule) {
    case 'longer':
      return Math.max(
        length,
        Math.min(MAX_GROWN, length * (3 + drawBelow(key, 42, 2)) - drawBelow(key, 43, 2)),
      );
    case 'single':
      return 1;
    case 'empty':
      return 0;
    case 'partlyEmpty':
      return isDrawn(key, 44, 45) ? 0 : length;
    case 'sized':
      return sizedLength(length, key, sizes);
    case 'near':
      return nearLength(length, key, sizes);
    default:
      return length;
  }
}

/** A length that the programs name, or one beside it. */
function sizedLength(length: number, key: number, sizes: readonly number[]): number {
  const usable = usableSizes(sizes);
  return usable.length === 0
    ? length
    : Math.max(0, drawFrom(usable, key, 52) + drawFrom([0, 0, 1, -1], key, 53));
}

function usableSizes(sizes: readonly number[]): number[] {
  return sizes.filter((size) => size >= 1 && size <= MAX_SIZE_LITERAL && Number.isInteger(size));
}

function nearLength(length: number, key: number, sizes: readonly number[]): number {
  const roll = drawBelow(key, 45, 100);
  const usable = usableSizes(sizes);
  if (roll < 30 && usable.length > 0) return drawFrom(usable, key, 46) + drawBelow(key, 47, 3) - 1;
  if (roll < 50) return length;
  return Math.max(0, length + drawFrom([-2, -1, 1, 2, 3], key, 48));
}

/** The first items are the list's own, in their order, and the others are drawn from it. One of one item is drawn, too. */
function pickItems<Item>(list: readonly Item[], key: number, length: number): Item[] {
  if (length === 1 && list.length > 1) return [drawFrom(list, key, 49)];
  const picked = list.slice(0, length);
  while (picked.length < length) picked.push(drawFrom(list, mixHash(key, picked.length), 50));
  return picked;
}

export function shuffle<Item>(list: readonly Item[], key: number): Item[] {
  const shuffled = [...list];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = drawBelow(mixHash(key, i), 51, i + 1);
    [shuffled[i], shuffled[j]] = [shuffled[j] as Item, shuffled[i] as Item];
  }
  return shuffled;
}

/** Whether a list is one thing of several parts, like `[time, value]`, whose length means nothing. */
export function isTuple(list: readonly unknown[], siblings: readonly unknown[]): boolean {
  const isMixed = new Set(list.map((item) => typeof item)).size > 1;
  if (isMixed) return true;
  if (list.length < 2 || list.length > 6 || siblings.length < 2) return false;
  return siblings.every((one) => Array.isArray(one) && one.length === list.length);
}

/** Whether an object's keys are data, as in `{ "2026-01-01": 3, "2026-01-02": 5 }`, rather than names of members. */
export function isMap(value: object): boolean {
  const entries = Object.entries(value);
  const [first] = entries;
  if (!first || entries.length < 2) return false;
  if (!entries.every(([, one]) => shapeOf(one) === shapeOf(first[1]))) return false;
  if (shapeOf(first[1]).startsWith('{')) return true;
  return entries.length > 2 && entries.some(([key]) => !/^[a-z][A-Za-z_]*$/.test(key));
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'object' || value === null) return typeof value;
  return `{${Object.keys(value).sort().join()}}`;
}
