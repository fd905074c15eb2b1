import { foldName } from '../references/suggest-names.ts';
import type { Scalar } from './value-leaves.ts';

/**
 * When a repeated value suggests a link. `always`: too long or odd to be equal by chance. `same key`: if both places
 * have the same name (`price: 250` after `{ price: 250 }`). `never`: `true`, `1`, `"ok"`.
 */
export type Telling = 'always' | 'same key' | 'never';

const MIN_LONG_TEXT = 12;
const MIN_ODD_TEXT = 4;
const MIN_TEXT = 3;
const MIN_INTEGER = 100;
const MIN_LONG_INTEGER = 10_000;
/** `2.5` and `0.1` are settings; `457.23` is a price. */
const MIN_DIGITS_OF_FRACTION = 4;
/** Words that results of all kinds contain. */
const STATUS =
  /^(?:ok|success(?:ful(?:ly)?)?|failed|error|true|false|yes|no|none|null|unknown|completed?|pending|active)$/i;

export function tellingOf(value: Scalar): Telling {
  if (typeof value === 'string') return ofText(value.trim());
  return typeof value === 'number' ? ofNumber(Math.abs(value)) : 'never';
}

function ofText(text: string): Telling {
  if (text.length < MIN_TEXT || STATUS.test(text)) return 'never';
  const isNumber = /^\d+$/.test(text);
  if (isNumber) return text.length > MIN_ODD_TEXT ? 'always' : 'same key';
  const isOdd = text.length >= MIN_ODD_TEXT && /\d/.test(text);
  return isOdd || text.length >= MIN_LONG_TEXT ? 'always' : 'same key';
}

function ofNumber(size: number): Telling {
  if (!Number.isInteger(size))
    return String(size).replace(/\D/g, '').length >= MIN_DIGITS_OF_FRACTION ? 'always' : 'same key';
  if (size < MIN_INTEGER) return 'never';
  const isRound = size % 100 === 0;
  return size >= MIN_LONG_INTEGER && !isRound ? 'always' : 'same key';
}

/** True if the names are equal or one ends with the other: `tweet_id` takes an `id`, `userId` a `user_id`. */
export function isSameKey(argument: string, source: string): boolean {
  const [one, other] = [foldName(argument), foldName(source)];
  return one.endsWith(other) || other.endsWith(one);
}
