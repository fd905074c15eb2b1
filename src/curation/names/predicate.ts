import { anyContent, isContent, telling } from './noun-phrase.ts';
import type { Phrase } from './phrase.ts';
import { DETERMINERS, FILLERS, GENERIC_NOUNS, REFERRING } from './vocabulary.ts';
import { verbOf } from './words.ts';

const COPULAS = new Set(['is', 'are', 'be', 'was', 'were']);
const POSSESSION = new Set(['has', 'have', 'contains', 'contain', 'includes', 'include']);
const MODALS = new Set(['can', 'should', 'must', 'may']);
/** Stop words that carry the meaning of a predicate. */
const TELLING = new Set(['before', 'after', 'within', 'between', 'same', 'not']);
const MOST = 2;

/** Reads `the value is a valid date` as `is_valid_date`. */
export function readPredicate(words: readonly string[]): Phrase {
  const at = words.findIndex(
    (word) =>
      COPULAS.has(word) || POSSESSION.has(word) || MODALS.has(word) || word === 'exists' || word === 'exist',
  );
  const [word, rest] = [words[at], words.slice(at + 1)];
  if (word === undefined) return readVerb(words);
  if (word.startsWith('exist')) return { verb: 'has', target: telling(words.slice(0, at), MOST) };
  if (MODALS.has(word)) return readModal(word, words.slice(0, at), rest);
  const target = complement(rest);
  return { verb: COPULAS.has(word) ? 'is' : 'has', target: target.length > 0 ? target : anyContent(rest, 1) };
}

/** Skips a plain subject: `given date in the same year` leaves `in the same year`. */
export function afterSubject(words: readonly string[]): readonly string[] {
  let at = 0;
  while (isBeforeNoun(words[at] ?? '')) at += 1;
  return words.slice(at + 1);
}

function isBeforeNoun(word: string): boolean {
  return FILLERS.has(word) || DETERMINERS.has(word) || REFERRING.has(word) || word === 'first';
}

/** Reads `the fallback should be attempted` as `should_attempt_fallback`. */
function readModal(modal: string, subject: readonly string[], rest: readonly string[]): Phrase {
  const verb = rest.map((word) => verbOf(word)).find((found) => found !== undefined && found !== 'be');
  return { verb: modal === 'may' ? 'can' : modal, target: [...(verb ? [verb] : []), ...telling(subject, 1)] };
}

/** Reads `the list starts with the prefix` as `starts_with`. */
function readVerb(words: readonly string[]): Phrase {
  const at = words.findIndex(
    (word, index) => index > 0 && word.endsWith('s') && verbOf(word) !== undefined && verbOf(word) !== word,
  );
  if (at === -1) return { verb: 'is', target: telling(words, MOST) };
  const [verb, link] = [words[at], words[at + 1] ?? ''];
  const isLinked = link === 'with' || link === 'in' || link === 'to' || link === 'like';
  return { verb, target: isLinked ? [link] : telling(words.slice(at + 1), 1) };
}

/** The words after `is`: the first ones, since what follows them narrows the subject. */
function complement(words: readonly string[]): string[] {
  const end = words.findIndex(
    (word) =>
      word === 'or' || word === 'and' || word === 'than' || word === 'by' || word === 'as' || word === ',',
  );
  const own = end > 0 ? words.slice(0, end) : words;
  const kept = own.filter((word) => TELLING.has(word) || FILLERS.has(word) || isContent(word));
  const strong = kept.filter((word) => !GENERIC_NOUNS.has(word));
  return (strong.length > 0 ? strong : kept).slice(0, MOST);
}
