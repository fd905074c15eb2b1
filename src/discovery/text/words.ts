import { stem } from './stem.ts';

/** One word of a text: as written (lower case, without accents) and its stem. */
export interface Word {
  text: string;
  stem: string;
}

/** A number of digits or a longer word is data: a hash, an encoded value. */
const MAX_LENGTH = 40;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lm}\p{Lt}]+|\p{N}+|\p{Lu}/gu;
const ACCENTS = /\p{M}+/gu;
/** Scripts written without spaces. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Splits a text into words, `getUserById` and `get_user_by_id` into four. Numbers alone are left out. */
export function wordsOf(text: string, limit = 4000): Word[] {
  const words: Word[] = [];
  for (const [run] of text.matchAll(WORD)) {
    if (words.length >= limit) break;
    if (run.length <= MAX_LENGTH * 4) addRun(run, words);
  }
  return words;
}

function addRun(run: string, words: Word[]): void {
  if (isPlain(run)) {
    addWord(run, words);
    return;
  }
  const before = words.length;
  for (const [part] of run.matchAll(PART)) {
    const plain = part.normalize('NFKD').replace(ACCENTS, '').toLowerCase();
    if (UNSPACED.test(plain)) addPairs(plain, words);
    else addWord(plain, words);
  }
  // `MySQL` is also one word, and `my` alone says nothing.
  if (words.length - before > 1 && !UNSPACED.test(run)) addWord(run.normalize('NFKD').replace(ACCENTS, '').toLowerCase(), words);
}

/** Lower-case ASCII letters alone need no splitting. */
function isPlain(run: string): boolean {
  for (let at = 0; at < run.length; at++) {
    const code = run.charCodeAt(at);
    if (code < 97 || code > 122) return false;
  }
  return true;
}

function addWord(text: string, words: Word[]): void {
  if (text === '' || text.length > MAX_LENGTH || /^\p{N}+$/u.test(text)) return;
  words.push({ text, stem: stemOf(text) });
}

/** Pairs of neighbouring characters are the usual stand-in for words in scripts without spaces. */
function addPairs(text: string, words: Word[]): void {
  const letters = [...text];
  if (letters.length === 1) words.push({ text, stem: text });
  for (let at = 0; at + 1 < letters.length; at++) {
    const pair = `${letters[at]}${letters[at + 1]}`;
    words.push({ text: pair, stem: pair });
  }
}

/** Descriptions repeat few words, so most stems are found here. */
const STEMS = new Map<string, string>();
const MAX_STEMS = 20_000;

function stemOf(text: string): string {
  const known = STEMS.get(text);
  if (known !== undefined) return known;
  if (STEMS.size >= MAX_STEMS) STEMS.clear();
  const found = stem(text);
  STEMS.set(text, found);
  return found;
}
