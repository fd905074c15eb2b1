import { shortenPaths } from './paths.ts';
import { ASKING_WORDS } from './stop-words.ts';
import { type Effect, effectOf } from './verbs.ts';
import { wordsOf } from './words.ts';

/** The words of an intent, as the index knows them by their stems. */
export interface IntentWords {
  /** Stem → weight. */
  terms: Map<string, number>;
  /** Two neighbouring words written as one, such as `keyvault` for "key vault". Most of them are no words. */
  joined: Map<string, number>;
  /** Stems that follow each other, as `first second`. */
  pairs: Set<string>;
  effects: Set<Effect>;
}

/** Longer intents are cut. */
const MAX_CHARACTERS = 4000;
const MAX_TERMS = 64;
/** A word that is repeated counts up to twice. */
const MAX_REPEATED = 2;
/** Weight of the words of a value: they say what the task is done with. */
const VALUE_WEIGHT = 0.4;
/** Weight of two words that are looked up as one. */
const JOINED_WEIGHT = 0.3;
/** `<placeholder>`, "quoted", 'quoted', /a/path, C:\a\path; 8am, 20th, 2023-01-07, 10:30, March, Monday. */
const VALUE =
  /<[^<>\n]{1,80}>|"[^"\n]{1,200}"|(?<![\p{L}\p{N}])'[^'\n]{1,80}'(?![\p{L}\p{N}])|(?<![^\s(])(?:[~.]{0,2}\/|[A-Za-z]:\\)\S{1,300}|(?<![\p{L}\p{N}_-])(?:\d[\d.,:/-]{0,20} ?(?:[ap]\.?m\.?|st|nd|rd|th)?|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?![\p{L}\p{N}_-])/giu;

/** Cuts an intent to the part that is read. */
export function readablePart(intent: string): string {
  return intent.length > MAX_CHARACTERS ? intent.slice(0, MAX_CHARACTERS) : intent;
}

export function intentWordsOf(intent: string): IntentWords {
  const found: IntentWords = { terms: new Map(), joined: new Map(), pairs: new Set(), effects: new Set() };
  const text = readablePart(intent);
  let read = 0;
  let previous: Previous = {};
  for (const value of text.matchAll(VALUE)) {
    previous = addText(found, text.slice(read, value.index), false, previous);
    previous = addText(found, shortenPaths(value[0]), true, previous);
    read = value.index + value[0].length;
  }
  addText(found, text.slice(read), false, previous);
  return found;
}

interface Previous {
  /** The word before, if it is no stop word. */
  text?: string;
  /** The stem of the last word that counts, if it is no value. */
  stem?: string;
}

function addText(found: IntentWords, text: string, isValue: boolean, before: Previous): Previous {
  const previous = { ...before };
  const weight = isValue ? VALUE_WEIGHT : 1;
  for (const word of wordsOf(text)) {
    const { isStop } = word;
    const effect = isValue ? undefined : effectOf(word.text);
    if (effect) found.effects.add(effect);
    if (previous.text !== undefined && !isStop)
      add(found.joined, previous.text + word.text, weight * JOINED_WEIGHT, 0);
    previous.text = isStop ? undefined : word.text;
    if (isStop || ASKING_WORDS.has(word.text)) continue;
    add(found.terms, word.stem, weight, isValue ? 0 : MAX_REPEATED);
    if (previous.stem !== undefined && !isValue) found.pairs.add(`${previous.stem} ${word.stem}`);
    previous.stem = isValue ? undefined : word.stem;
  }
  return previous;
}

/** Adds up to a maximum, or keeps the larger of the two if there is none. */
function add(weights: Map<string, number>, term: string, weight: number, maximum: number): void {
  const had = weights.get(term);
  if (had === undefined && weights.size >= MAX_TERMS) return;
  const sum = maximum > 0 ? Math.min(maximum, (had ?? 0) + weight) : Math.max(had ?? 0, weight);
  weights.set(term, sum);
}
