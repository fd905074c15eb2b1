/** How a value stands in a longer text. */
export type Fit =
  /** A part of a path, an address or an id: `web` in `web/items`. */
  | 'joined'
  /** Beside a hyphen, an underscore or a dot: `web` in `web-api` may be another word. */
  | 'loose'
  /** A word of a sentence: `open` in `3 open issues`. */
  | 'word';

export interface TextMatch {
  readonly at: number;
  readonly fit: Fit;
}

/** Which ends of a text an expression may continue, as in `"/logs/" + name`. */
export interface OpenEnds {
  readonly start: boolean;
  readonly end: boolean;
}

const MAX_MATCHES = 20;
const WORD = /[\p{L}\p{N}]/u;
const JOINER = /[/\\:@#?&=]/;
const LOOSE = /[-_.+~]/;
const DATE = /^\d{4}-\d\d(?:-\d\d)?$/;

/** Finds a value in a text where it is no part of another word, number or path. */
export function matchesIn(text: string, value: string, open: OpenEnds): TextMatch[] {
  const found: TextMatch[] = [];
  if (!WORD.test(value)) return found;
  for (
    let at = text.indexOf(value);
    at !== -1 && found.length < MAX_MATCHES;
    at = text.indexOf(value, at + 1)
  ) {
    const fit = fitAt(text, at, value, open);
    if (fit) found.push({ at, fit });
  }
  return found;
}

function fitAt(text: string, at: number, value: string, open: OpenEnds): Fit | undefined {
  const before = text[at - 1] ?? (open.start ? null : '');
  const after = text[at + value.length] ?? (open.end ? null : '');
  const startsWithWord = WORD.test(value[0] ?? '');
  const endsWithWord = WORD.test(value.at(-1) ?? '');
  // `/data/a` is neither in `/old/data/a` nor in `/data/ab`.
  const isPath = /^[./\\-]/.test(value);
  if (
    before === null ? startsWithWord : startsWithWord ? WORD.test(before) : isPath && /[\w./\\-]/.test(before)
  )
    return undefined;
  if (
    after === null ? endsWithWord : endsWithWord && WORD.test(after) && !(DATE.test(value) && after === 'T')
  )
    return undefined;
  if (isPartOfNumber(text, at, value)) return undefined;
  const sides = [before ?? '', after ?? ''];
  if (!startsWithWord || !endsWithWord || sides.some((side) => JOINER.test(side) || side === 'T'))
    return 'joined';
  if (DATE.test(value) && /^-\d\d/.test(text.slice(at + value.length))) return 'joined';
  return sides.some((side, index) => LOOSE.test(side) && !endsSentence(text, at + value.length, index))
    ? 'loose'
    : 'word';
}

/** True for `10` in `2026-01-10`, `3.10` or `12:10`. */
function isPartOfNumber(text: string, at: number, value: string): boolean {
  const isNumber = /^-?[\d.]+$/.test(value);
  if (!isNumber) return false;
  return /\d[-.:/,]$/.test(text.slice(0, at)) || /^[-.:/,]\d/.test(text.slice(at + value.length));
}

/** True for a dot or a dash that ends a sentence or stands alone. */
function endsSentence(text: string, end: number, side: number): boolean {
  return side === 1 && /^[.+~-](?:\s|$)/.test(text.slice(end, end + 2));
}

/** True if the word beside a number names it: `5` in `the next 5 days`, for the key `days`. */
export function isNamedBeside(
  text: string,
  { at }: TextMatch,
  value: string,
  key: string | undefined,
): boolean {
  if (key === undefined) return false;
  const stem = (word: string) => word.toLowerCase().replace(/(?:es|s)$/, '');
  const left = text.slice(0, at);
  const gap = /\W{0,2}$/.exec(left)?.[0].length ?? 0;
  const before = left
    .slice(0, left.length - gap)
    .split(/[^\p{L}]+/u)
    .at(-1);
  const after = /^\W{0,2}([\p{L}]+)/u.exec(text.slice(at + value.length))?.[1];
  const words = key
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}]+/u)
    .map(stem);
  return [before, after].some((word) => word !== undefined && words.includes(stem(word)));
}

/** True if the text says that a number is a bound: `30` in `above 30`. */
export function isBoundBeside(text: string, { at, fit }: TextMatch): boolean {
  return (
    fit === 'word' &&
    /(?:above|below|over|under|than|least|most|exceeds?|limit|threshold)\W{1,2}$/i.test(text.slice(0, at))
  );
}

/** Words that many programs hold for other reasons than their data. */
const COMMON = new Set(
  `active closed default pending public private status normal enabled disabled success failed string number object
   function boolean undefined directory folder fulfilled rejected completed archived unknown content message
   result results format update delete create search filter open close all none any new old done todo paid free
   high low main test prod dev asc desc id name user type text json csv xml html md yes no on off get post put info
   warn error debug ok fail ready draft sent read write item items list data file path key value date time title body
   email state label labels owner repo count total size min max sum avg true false null left right top`.split(
    /\s+/,
  ),
);

/** How likely it is that two equal values of a program mean one thing. */
export type Distinction = 'distinctive' | 'plain' | 'common';

export function distinctionOf(value: unknown): Distinction {
  if (typeof value === 'number') return distinctionOfNumber(value);
  if (typeof value !== 'string' || COMMON.has(value) || /^\W*$/.test(value) || /^\d?\d$/.test(value))
    return 'common';
  return /^[a-z]{0,5}$/.test(value) ? 'plain' : 'distinctive';
}

function distinctionOfNumber(value: number): Distinction {
  if (!Number.isInteger(value) || Math.abs(value) >= 100) return 'distinctive';
  return Math.abs(value) >= 10 ? 'plain' : 'common';
}

/** True for a value that says nothing alone: it is found in most programs. */
export function isTrivial(value: unknown): boolean {
  if (typeof value === 'number') return value === 0 || Math.abs(value) === 1;
  return typeof value === 'boolean' || value === '';
}
