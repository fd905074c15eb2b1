import { drawBelow, drawFrom, hashText, isDrawn } from './hash.ts';
import { renameText } from './rename.ts';
import type { SeenField } from './seen-values.ts';
import { isDateText, isTimeText, varyDate, varyTimeText } from './vary-date.ts';
import { varyNumber } from './vary-number.ts';

/** Literals of the programs, by what they can stand for. */
export interface Literals {
  readonly numbers: readonly number[];
  readonly words: readonly string[];
  readonly dates: readonly string[];
  /** The numbers, also those that texts name: where comparisons have their edges. */
  readonly edges: readonly number[];
  /** Sums and products of two of them. */
  readonly pairs: readonly number[];
}

export interface StringSource {
  readonly literals: Literals;
  readonly seen: SeenField;
  /** Decides what a word becomes. */
  readonly seed: number;
  readonly now: number;
}

const NUMERAL = /^-?\d{1,12}(?:\.\d{1,6})?$/;
const MAX_EDGES = 12;
const MAX_EDGE_PAIRS = 40;
const MAX_WORD = 40;
const MAX_ENUM = 12;

/** Sorts the literals of the programs. */
export function sortLiterals(literals: readonly (string | number)[]): Literals {
  const numbers = literals.filter((one) => typeof one === 'number');
  const strings = literals.filter((one) => typeof one === 'string');
  const words = strings.filter((one) => one !== '' && one.length <= MAX_WORD && !one.includes('\n'));
  const named = strings.filter((one) => NUMERAL.test(one)).map(Number);
  const edges = [...new Set([...numbers, ...named])].slice(0, MAX_EDGES);
  const both = edges.flatMap((one) => edges.flatMap((other) => [one + other, one - other, one * other]));
  const pairs = both.slice(0, MAX_EDGE_PAIRS);
  return { numbers: [...numbers, ...named], words, dates: strings.filter(isDateText), edges, pairs };
}

/** Another string of the same form. */
export function varyString(text: string, key: number, source: StringSource): string {
  if (isDateText(text)) return varyDate(text, key, source.literals.dates, source.now);
  if (isTimeText(text)) return varyTimeText(text, key);
  if (NUMERAL.test(text)) return varyNumeral(text, key, source);
  const { strings, stringCount } = source.seen;
  const isEnum = strings.length < stringCount && strings.length <= MAX_ENUM;
  const roll = drawBelow(key, 31, 100);
  if (roll < 20 && source.literals.words.length > 0)
    return nearWord(drawFrom(source.literals.words, key, 32), key);
  if (roll < (isEnum ? 78 : 38) && strings.length > 1) return drawFrom(strings, key, 33);
  if (roll < (isEnum ? 84 : 48)) return nearWord(text, key);
  if (roll < (isEnum ? 86 : 52)) return '';
  const edge = isDrawn(key, 35, 70) ? edgeOf(text, source.literals.words) : undefined;
  if (edge === undefined) return renameText(text, source.seed);
  const { start, end } = edge;
  return text.slice(0, start) + renameText(text.slice(start, end), source.seed) + text.slice(end);
}

const MIN_EDGE = 2;

/** What is left of a text between a literal that it begins with and one that it ends with: programs look for those. */
function edgeOf(text: string, words: readonly string[]): { start: number; end: number } | undefined {
  const isEdge = (word: string) => word.length >= MIN_EDGE && word.length < text.length;
  const start = words.find((word) => isEdge(word) && text.startsWith(word))?.length ?? 0;
  const last = words.find(
    (word) => isEdge(word) && word.length <= text.length - start && text.endsWith(word),
  );
  const end = text.length - (last?.length ?? 0);
  return start === 0 && last === undefined ? undefined : { start, end };
}

/** A string of digits, with as many of them where leading zeros say so. */
function varyNumeral(text: string, key: number, { literals, seen }: StringSource): string {
  const numbers = seen.strings.filter((one) => NUMERAL.test(one)).map(Number);
  const value = varyNumber(Number(text), key, numbers, literals.numbers);
  const decimals = text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
  if (decimals > 0) return value.toFixed(decimals);
  const isPadded = text.length > 1 && text.startsWith('0');
  return isPadded ? String(Math.floor(Math.abs(value))).padStart(text.length, '0') : String(value);
}

/** The word itself, or one that a loose comparison takes for it. */
function nearWord(word: string, key: number): string {
  const forms = [
    word,
    word,
    word,
    word.toUpperCase(),
    word.toLowerCase(),
    ` ${word} `,
    `${word}s`,
    `x${word}`,
    `${word} ${renameText(word, hashText(word, key))}`,
  ];
  return drawFrom(forms, key, 34);
}
