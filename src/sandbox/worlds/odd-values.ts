import { drawBelow, drawFrom } from './hash.ts';
import { parseInner } from './seen-values.ts';
import { isDateText, isTimeText } from './vary-date.ts';
import { FIRST_TIME } from './vary-number.ts';

/** What texts hold that programs escape, count, sort, trim or match in different ways. */
const ODD_LETTERS = ['é😀', 'Ö', '😀ß'];
const ODD_SIGNS = ["'", '"', '&', '<b>', '%', '_', '#', '?', '/', ' | ', ', ', '\\', '(', '-'];

/** The same text with a sign in it that programs seldom think of, or in another case. */
export function oddText(text: string, key: number): string {
  if (isDateText(text) || isTimeText(text) || text.includes('\n') || parseInner(text) !== undefined)
    return text;
  const at = drawBelow(key, 138, 3) === 0 ? 0 : drawBelow(key, 131, text.length + 1);
  const [head, tail] = [text.slice(0, at), text.slice(at)];
  if (drawBelow(key, 132, 5) === 0) return head.toUpperCase() + tail;
  return head + drawFrom(ODD_LETTERS, key, 133) + drawFrom(ODD_SIGNS, key, 136) + tail;
}

/** Another word of a table or text. Cells in quotes hold what separates cells. */
export function oddWord(word: string, key: number): string {
  return drawBelow(key, 137, 2) === 0 ? `"${word}, ${word}"` : oddText(word, key);
}

/** Such a number may be below zero, and has more decimals than money. It is a multiple of 1/1024, so that sums are exact. */
export function oddNumber(value: number, key: number): number {
  if (value >= FIRST_TIME) return value;
  const odd = value + drawBelow(key, 134, 1024) / 1024;
  return drawBelow(key, 135, 2) === 0 ? -odd : odd;
}
