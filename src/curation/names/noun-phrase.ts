import { FILLERS, GENERIC_NOUNS, PREPOSITIONS, REFERRING, STOP_WORDS, VAGUE_NOUNS } from './vocabulary.ts';
import { isParticiple } from './words.ts';

/** `start of day` says more than `day start`. */
const PLACES = new Set(['start', 'end', 'beginning', 'day', 'days', 'week']);
/** `sort by date`, `group by author`. */
const ORDERING = new Set([
  'sort',
  'group',
  'filter',
  'order',
  'index',
  'find',
  'search',
  'split',
  'count',
  'partition',
  'rank',
]);
/** Verbs whose result is named: `split into words`. */
const PRODUCING = new Set(['split', 'divide', 'partition', 'break', 'parse']);

interface NounPhrase {
  /** The preposition before it; empty for the first. */
  readonly link: string;
  readonly words: readonly string[];
}

/** Returns the words of a verb's target: its noun phrase, and the one after `of`. */
export function targetWords(words: readonly string[], verb: string | undefined, most: number): string[] {
  // After a verb, `that` points at a thing.
  if (words[0] === 'that') return targetWords(words.slice(1), verb, most);
  const [own, next] = splitPhrases(words);
  if (!own) return [];
  const target = telling(own.words, most);
  if (next?.link === 'of') {
    const inner = targetWords(afterFirstLink(words), verb, most);
    if (target.length === 0) return inner;
    if (inner.length === 0 || !telling(next.words, most).length) return target;
    if (PLACES.has(target.at(-1) as string)) return [...target, 'of', ...inner];
    return target.length + inner.length <= most + 1 ? [...inner, ...target] : target;
  }
  if (next?.link === 'by' && verb && ORDERING.has(verb)) {
    const by = telling(next.words, 1);
    if (by.length > 0) return [...target, 'by', ...by];
  }
  if (target.length > 0) return target;
  if (next && (verb === undefined || (next.link === 'into' && PRODUCING.has(verb)))) {
    const inner = targetWords(afterFirstLink(words), verb, most);
    if (inner.length > 0) return inner;
  }
  return [];
}

function afterFirstLink(words: readonly string[]): readonly string[] {
  return words.slice(words.findIndex((word) => PREPOSITIONS.has(word)) + 1);
}

function splitPhrases(words: readonly string[]): NounPhrase[] {
  const phrases: { link: string; words: string[] }[] = [{ link: '', words: [] }];
  for (const [at, word] of words.entries()) {
    if (PREPOSITIONS.has(word) || endsPhrase(word, words[at - 1])) phrases.push({ link: word, words: [] });
    else phrases.at(-1)?.words.push(word);
  }
  return phrases;
}

/** True for `created` in `a context created with`: a participle after the noun begins a clause. */
function endsPhrase(word: string, before: string | undefined): boolean {
  if (before === undefined || !isParticiple(word)) return false;
  return isContent(before) && !isParticiple(before) && !PREPOSITIONS.has(before);
}

/** Returns the words that tell something: the first ones, and the last, which names the thing. */
export function telling(words: readonly string[], most: number): string[] {
  const kept = words.filter(
    (word, at) => isContent(word) && !isReferred(words, at) && !GENERIC_NOUNS.has(word),
  );
  const strong = kept.filter((word) => !VAGUE_NOUNS.has(word));
  return shorten(strong.length > 0 ? strong : kept, most);
}

function shorten(words: readonly string[], most: number): string[] {
  return words.length <= most ? [...words] : [...words.slice(0, most - 1), words.at(-1) as string];
}

/** Returns words of a phrase even if they tell little. */
export function anyContent(words: readonly string[], most: number): string[] {
  return words.filter(isContent).slice(-most);
}

/** True for `date` in `the given date`. */
function isReferred(words: readonly string[], at: number): boolean {
  return REFERRING.has(words[at - 1] ?? '') && at === words.length - 1;
}

export function isContent(word: string): boolean {
  return (
    !STOP_WORDS.has(word) &&
    !FILLERS.has(word) &&
    !REFERRING.has(word) &&
    word !== ',' &&
    !word.startsWith('$')
  );
}
