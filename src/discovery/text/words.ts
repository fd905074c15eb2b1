import { stem } from './stem.ts';
import { STOP_WORDS } from './stop-words.ts';

/** One word of a text. */
export interface Word {
  /** As written, in lower case and without accents. */
  readonly text: string;
  readonly stem: string;
  readonly isStop: boolean;
}

/** A longer word is data: a hash, an encoded value. */
const MAX_LENGTH = 40;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Where a run changes: `user|By`, `HTTP|Server`, `API|天气`. */
const CHANGES = [/([\p{Ll}\p{Lo}\p{N}])(\p{Lu})/gu, /(\p{Lu})(\p{Lu}\p{Ll})/gu, /([\p{Lu}\p{Ll}])(\p{Lo})/gu];
const PART = /[\p{L}\p{M}]+|\p{N}+/gu;
const NUMBER = /^\p{N}+$/u;
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
  let parted = run;
  for (const change of CHANGES) parted = parted.replace(change, '$1 $2');
  for (const [part] of parted.matchAll(PART)) {
    const plain = plainText(part);
    if (UNSPACED.test(plain)) addPairs(plain, words);
    else addWord(plain, words);
  }
  // `MySQL` is also one word, and `my` alone says nothing.
  if (words.length - before > 1 && !UNSPACED.test(run)) addWord(plainText(run), words);
}

function plainText(text: string): string {
  const isAscii = /^[a-z0-9]+$/i.test(text);
  return (isAscii ? text : text.normalize('NFKD').replace(ACCENTS, '')).toLowerCase();
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
  const word = wordOf(text);
  if (word) words.push(word);
}

/** Pairs of neighbouring characters are the usual stand-in for words in scripts without spaces. */
function addPairs(text: string, words: Word[]): void {
  const letters = [...text];
  if (letters.length === 1) addWord(text, words);
  for (let at = 0; at + 1 < letters.length; at++) addWord(`${letters[at]}${letters[at + 1]}`, words);
}

/** Caches words: texts repeat few of them. Numbers are not words. */
const KNOWN = new Map<string, Word>();
const MAX_KNOWN = 50_000;

function wordOf(text: string): Word | undefined {
  const known = KNOWN.get(text);
  if (known !== undefined) return known;
  if (text === '' || text.length > MAX_LENGTH || NUMBER.test(text)) return undefined;
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
  const word = { text, stem: stem(text), isStop: STOP_WORDS.has(text) };
  KNOWN.set(text, word);
  return word;
}
