import type { Echo } from './echo.ts';
import { guessObject } from './guessed-shape.ts';
import { drawBelow, drawFrom, isDrawn, mixHash } from './hash.ts';
import { oddNumber, oddText, oddWord } from './odd-values.ts';
import { renameText } from './rename.ts';
import { fieldOfItems, fieldOfMember, parseInner, type SeenValues } from './seen-values.ts';
import { isMap, isTuple, resizeList } from './vary-list.ts';
import { nearEdge, varyNumber } from './vary-number.ts';
import { type Literals, varyString } from './vary-string.ts';
import { varyLines } from './vary-text.ts';
import type { ListRule, WorldStyle } from './world-styles.ts';

/** What the variation of one answer depends on. */
export interface Variation {
  readonly style: WorldStyle;
  readonly seen: SeenValues;
  readonly literals: Literals;
  readonly echo: Echo;
  /** Decides what a word becomes, everywhere in the world. */
  readonly seed: number;
  /** Decides what a word becomes in this answer, for a part of the words: answers to different arguments shall differ. */
  readonly ownSeed: number;
  readonly now: number;
  /** The fields that the programs read: those of items that nobody has seen. */
  readonly fields: readonly string[];
}

/** A place in the answer. */
interface Place {
  /** Decides every draw at this place. */
  readonly key: number;
  readonly field: number;
  readonly name: string;
  readonly isInItem: boolean;
  /** How many lists this place is in: only the outermost grow much. */
  readonly lists: number;
  readonly siblings: readonly unknown[];
}

/** The answer as another world gives it. */
export function varyAnswer(value: unknown, key: number, field: number, variation: Variation): unknown {
  const place = { key, field, name: '', isInItem: false, lists: 0, siblings: [] };
  return vary(value, place, variation);
}

function vary(value: unknown, place: Place, variation: Variation): unknown {
  if (Array.isArray(value)) return varyItems(value, place, variation);
  if (typeof value === 'object' && value !== null) return varyMembers(value, place, variation);
  return varyLeaf(value, place, variation);
}

function varyItems(list: readonly unknown[], place: Place, variation: Variation): unknown[] {
  const { style, literals } = variation;
  const { key, field, lists } = place;
  const rule = isTuple(list, place.siblings) && style.lists !== 'empty' ? 'same' : ruleAt(style.lists, lists);
  const source = {
    rule,
    shuffles: style.shuffles,
    sizes: literals.numbers,
    items: itemsFor(list, place, variation),
  };
  const items = resizeList(list, key, source);
  const inside = { field: fieldOfItems(field), name: place.name, isInItem: true, lists: lists + 1 };
  return items.map((item, i) =>
    vary(item, { ...inside, key: mixHash(key, i + 1), siblings: list }, variation),
  );
}

/** Items for a list that has none: those that the field has shown, or others that the programs can read. */
function itemsFor(
  list: readonly unknown[],
  { key, field }: Place,
  { seen, fields }: Variation,
): readonly unknown[] {
  const { items } = seen.at(field);
  if (list.length > 0 || items.length > 0 || fields.length === 0) return items;
  return [1, 2, 3].map((nth) => guessObject(fields, mixHash(key, nth), 1));
}

function ruleAt(rule: ListRule, lists: number): ListRule {
  return rule === 'longer' && lists > 0 ? 'near' : rule;
}

function varyMembers(value: object, place: Place, variation: Variation): object {
  const { style } = variation;
  const { key, field, isInItem } = place;
  let entries = Object.entries(value);
  const asMap = isMap(value);
  if (asMap) {
    const rule = style.lists === 'longer' || style.lists === 'near' ? 'same' : style.lists;
    entries = resizeList(entries, key, { rule, shuffles: style.shuffles, sizes: [], items: [] });
  }
  const missing = style.onlyInItems && !isInItem ? 0 : style.missing;
  const members: [string, unknown][] = [];
  for (const [name, member] of entries) {
    // The keys of a map are all one field.
    const at = {
      ...place,
      key: fieldOfMember(key, name),
      field: asMap ? fieldOfItems(field) : fieldOfMember(field, name),
      name,
      siblings: [],
    };
    if (isDrawn(at.key, 71, missing)) {
      if (drawBelow(at.key, 72, 2) === 0) members.push([name, null]);
    } else members.push([name, vary(member, at, variation)]);
  }
  if (!asMap) members.push(...furtherMembers(value, key, variation));
  return Object.fromEntries(members);
}

/** A field that the programs read and this answer lacks: others may have it. */
function furtherMembers(value: object, key: number, { style, fields }: Variation): [string, unknown][] {
  const lacking = fields.filter((name) => !Object.hasOwn(value, name));
  if (lacking.length === 0 || !isDrawn(key, 91, style.fuller)) return [];
  const name = drawFrom(lacking, key, 92);
  return [[name, drawFrom([true, `${name}-${drawBelow(key, 93, 50)}`, drawBelow(key, 94, 90)], key, 95)]];
}

function varyLeaf(value: unknown, place: Place, variation: Variation): unknown {
  const { style, seen, echo } = variation;
  const { key, field } = place;
  if (typeof value === 'string' || typeof value === 'number') {
    const echoed = echo.whole(value, place.name);
    if (echoed !== undefined) return echoed;
  }
  if (isDrawn(key, 73, style.falsy)) return falsyOf(value);
  const known = seen.at(field);
  if (isDrawn(key, 74, style.ties)) {
    if (typeof value === 'number' && known.numbers.length > 0) return drawFrom(known.numbers, key, 75);
    if (typeof value === 'string' && known.strings.length > 0) return drawFrom(known.strings, key, 75);
  }
  const edge = isDrawn(key, 84, style.edges) ? namedValue(value, place, variation) : undefined;
  if (edge !== undefined) return edge;
  const isOdd = isDrawn(key, 96, style.odd);
  if (typeof value === 'string') {
    const text = varyText(value, place, variation);
    return isOdd ? oddText(text, key) : text;
  }
  if (isOdd && typeof value === 'number') return oddNumber(value, key);
  if (!isDrawn(key, 76, style.leaves)) return value;
  if (typeof value === 'number') return varyNumber(value, key, known.numbers, variation.literals.numbers);
  if (typeof value === 'boolean') return drawBelow(key, 77, 2) === 0;
  // What was null once may be there in another world.
  const others = [...known.strings, ...known.numbers];
  return others.length > 0 && isDrawn(key, 78, 20) ? drawFrom(others, key, 79) : value;
}

/** A value that the programs name. The worlds of this kind go through the numbers, so that each field has each of them once. */
function namedValue(value: unknown, { key, field }: Place, { literals, seed }: Variation): unknown {
  const { edges, pairs, words } = literals;
  const nth = (count: number) => ((seed & 15) + (field % count)) % count;
  if (typeof value === 'string' && words.length > 0 && drawBelow(key, 86, 100) < 45) {
    const word = words[nth(words.length)] as string;
    return drawBelow(key, 88, 3) === 0 ? `${value}${word}` : word;
  }
  if (typeof value !== 'number' || edges.length === 0) return undefined;
  const roll = drawBelow(key, 89, 100);
  if (roll < 15 && pairs.length > 0) return nearEdge(drawFrom(pairs, key, 85), key);
  if (roll < 30) return Math.max(...edges) * 3 + drawBelow(key, 90, 9);
  return nearEdge(edges[nth(edges.length)] as number, key);
}

function falsyOf(value: unknown): unknown {
  if (typeof value === 'number') return 0;
  if (typeof value === 'string') return '';
  return typeof value === 'boolean' ? false : value;
}

function varyText(text: string, place: Place, variation: Variation): string {
  const { style, echo, seen, literals, now } = variation;
  const inner = parseInner(text);
  if (inner !== undefined) {
    const varied = vary(inner, { ...place, field: fieldOfItems(place.field) }, variation);
    return JSON.stringify(varied, null, text.includes('\n') ? 2 : undefined);
  }
  const isOwn = isDrawn(place.key, 80, 50);
  const source = { literals, now, seed: isOwn ? variation.ownSeed : variation.seed };
  const known = seen.at(place.field);
  if (text.includes('\n')) {
    const varyWord = (word: string, key: number, others: readonly string[]) =>
      echo.inside(word, (part) => part) ??
      (isDrawn(key, 97, style.odd) ? oddWord(word, key) : undefined) ??
      varyString(word, key, { ...source, seen: { ...known, strings: [...others], stringCount: 1e6 } });
    const rule = {
      rule: ruleAt(style.lists, place.lists),
      shuffles: style.shuffles,
      sizes: literals.numbers,
    };
    return varyLines(text, place.key, {
      leaves: style.leaves,
      isRough: style.isRough,
      isEmptied: style.lists === 'empty' || (style.lists === 'partlyEmpty' && isDrawn(place.key, 81, 45)),
      varyWord,
      resize: (lines, key) => resizeList(lines, key, { ...rule, items: [] }),
    });
  }
  if (!isDrawn(place.key, 82, style.leaves)) return echo.inside(text, (part) => part) ?? text;
  const around = (part: string) => renameText(part, source.seed);
  return echo.inside(text, around) ?? varyString(text, place.key, { ...source, seen: known });
}
