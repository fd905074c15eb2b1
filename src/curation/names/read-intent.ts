import { matchOpening } from './match-opening.ts';
import { suffixWords } from './name-suffixes.ts';
import { anyContent, targetWords, telling } from './noun-phrase.ts';
import type { Phrase } from './phrase.ts';
import { afterSubject, readPredicate } from './predicate.ts';
import { LINKING, PREPOSITIONS, USUAL_VERBS, WEAK_VERBS } from './vocabulary.ts';
import { leadingVerb, sentenceWords, verbOf } from './words.ts';

const MAX_OPENINGS = 5;
const MAX_CLAUSES = 24;
/** `CSV to JSON` is a conversion; a longer sentence without a verb is not. */
const MAX_CONVERSION = 5;
/** How many words of the target a name holds. */
const MOST = 3;
const NO_VERBS: ReadonlySet<string> = new Set();
const CONVERSIONS = new Set(['convert', 'transform', 'turn', 'cast', 'translate', 'change', 'serialize']);

/** Reads what an intent says is done, and to what. */
export function readIntent(intent: string, parameters: readonly string[] = []): Phrase {
  const words = sentenceWords(intent, parameters);
  const phrase = readSentence(words, MAX_OPENINGS);
  if (phrase.verb === undefined && phrase.target.length === 0) return phrase;
  const known = new Set([phrase.verb, ...phrase.target]);
  return { ...phrase, target: [...phrase.target, ...suffixWords(words).filter((word) => !known.has(word))] };
}

/** Reads each clause of a text: one begins after a comma, at a verb of `verbs`, and at a verb after `and` or `to`. */
export function readClauses(
  text: string,
  parameters: readonly string[] = [],
  verbs: ReadonlySet<string> = NO_VERBS,
): Phrase[] {
  const words = sentenceWords(text, parameters);
  const starts = [0];
  for (const [at, word] of words.entries()) {
    if (at === 0 || starts.length >= MAX_CLAUSES) continue;
    const isLink = word === 'and' || word === 'then' || word === 'to';
    if (word === ',' || (isLink && verbOf(words[at + 1] ?? '') !== undefined)) starts.push(at + 1);
    else if (verbs.has(verbOf(word) ?? '') && starts.at(-1) !== at) starts.push(at);
  }
  return starts.map((start, at) => readSentence(at === 0 ? words : words.slice(start), MAX_OPENINGS));
}

function readSentence(words: readonly string[], left: number): Phrase {
  const opening = left > 0 ? matchOpening(words) : undefined;
  if (!opening) {
    const isAdverb = left > 0 && /ly$/.test(words[0] ?? '') && !verbOf(words[0] ?? '') && words.length > 1;
    return isAdverb ? readSentence(words.slice(1), left - 1) : readClause(firstClause(words));
  }
  const rest = words.slice(words[opening.length] === ',' ? opening.length + 1 : opening.length);
  const clause = firstClause(rest);
  if (opening.kind === 'skip') return readSentence(rest, left - 1);
  if (opening.kind === 'predicate') return readPredicate(clause);
  if (opening.kind === 'assertion')
    return { verb: verbOf(words[0] ?? ''), target: readPredicate(clause).target };
  if (opening.kind === 'question') return readPredicate(['it', words[0] as string, ...afterSubject(clause)]);
  return readCollection(clause);
}

/** Reads what follows `a new array of`: what was done to the things in it, and what they are. */
function readCollection(clause: readonly string[]): Phrase {
  const done = participle(clause);
  if (done) return done;
  const verb = clause[0]?.endsWith('s') ? leadingVerb(clause) : undefined;
  if (verb) return readClause(clause);
  return { verb: undefined, target: targetWords(clause, undefined, MOST) };
}

function readClause(clause: readonly string[]): Phrase {
  const verb = leadingVerb(clause);
  if (!verb) {
    const conversion = clause.length <= MAX_CONVERSION ? readConversion(clause) : undefined;
    return (
      conversion ?? { verb: undefined, target: withFallback(targetWords(clause, undefined, MOST), clause) }
    );
  }
  const rest = afterSecondVerb(clause.slice(1));
  if (CONVERSIONS.has(verb)) {
    const conversion = readConversion(rest);
    if (conversion) return conversion;
  }
  const copied = readCopy(verb, rest);
  if (copied) return copied;
  if (WEAK_VERBS.has(verb)) {
    const done = participle(rest);
    if (done) return done;
    const target = withFallback(targetWords(rest, undefined, MOST), rest);
    return { verb: target.length > 0 ? undefined : verb, target };
  }
  return { verb: USUAL_VERBS.get(verb) ?? verb, target: targetWords(rest, verb, MOST) };
}

function withFallback(target: readonly string[], words: readonly string[]): readonly string[] {
  return target.length > 0 ? target : anyContent(words, 1);
}

/** Skips the second of two verbs: `read and parse JSON` is about reading JSON. */
function afterSecondVerb(rest: readonly string[]): readonly string[] {
  return (rest[0] === 'and' || rest[0] === 'or') && verbOf(rest[1] ?? '') ? rest.slice(2) : rest;
}

/** Reads `the formatted date` and `keys omitted` as `format_date` and `omit_keys`. */
function participle(words: readonly string[]): Phrase | undefined {
  const at = words.findIndex((word) => /(?:ed|ing)$/.test(word) && !LINKING.has(word) && isForm(word));
  if (at === -1 || at > 4) return undefined;
  const after = targetWords(words.slice(at + 1), undefined, MOST);
  const own = words.slice(0, at).filter((word) => !PREPOSITIONS.has(word));
  const target =
    after.length > 0 && PREPOSITIONS.has(words[at + 1] ?? '') === false ? after : telling(own, 1);
  return { verb: verbOf(words[at] as string), target: target.length > 0 ? target : after };
}

function isForm(word: string): boolean {
  const verb = verbOf(word);
  return verb !== undefined && verb !== word;
}

/** Reads `create a copy of the record` as `copy_record`. */
function readCopy(verb: string, rest: readonly string[]): Phrase | undefined {
  const at = rest.findIndex((word) => word === 'copy' || word === 'clone' || word === 'duplicate');
  if (at === -1 || at > 3 || rest[at + 1] !== 'of' || (verb !== 'create' && verb !== 'make'))
    return undefined;
  return { verb: rest[at], target: targetWords(rest.slice(at + 2), undefined, MOST) };
}

/** Reads `minutes to seconds` as it stands, and `a value to a string` as `to_string`. */
function readConversion(words: readonly string[]): Phrase | undefined {
  const at = words.findIndex((word) => word === 'to' || word === 'into');
  if (at === -1) return undefined;
  const to = withFallback(targetWords(words.slice(at + 1), undefined, MOST), words.slice(at + 1));
  return to.length === 0
    ? undefined
    : {
        verb: undefined,
        target: [...targetWords(words.slice(0, at), undefined, 3).slice(0, 1), 'to', ...to],
      };
}

function firstClause(words: readonly string[]): readonly string[] {
  const end = words.indexOf(',');
  return end > 0 ? words.slice(0, end) : words;
}
