import { NOTHING_FITS } from '../../discovery/index.ts';
import type { Found } from '../../workspace/index.ts';
import { plainValues } from './plain-values.ts';

type FoundCapability = Found & { kind: 'capability' };

/** This share of the intent's words must be words of the capability. */
const INTENT_SHARE = 0.8;
/** This share of the words that describe the capability must be words of the intent. */
const DESCRIPTION_SHARE = 0.5;
const LEAST_WORDS = 2;
const MAX_TEXT = 2000;

/** Stop words: they do not tell one task from another. */
const PLAIN_WORDS = new Set(
  'a an and are as at be by can do does for from get go how i in into is it its me my need of on or our out please some than that the their them then there this to try up use using want we what which with would you your'.split(
    ' ',
  ),
);

/**
 * Finds the one capability that clearly does what an intent says; undefined if none or several match.
 * It compares words, which is stricter than the search score alone: a wrong capability costs more than none.
 */
export function clearMatch(found: readonly Found[], intent: string): FoundCapability | undefined {
  const wanted = wordsOf(plainValues(intent).words.join(' '));
  if (wanted.size < LEAST_WORDS) return undefined;
  const matching = found.filter(
    (one): one is FoundCapability =>
      one.kind === 'capability' &&
      one.score >= NOTHING_FITS &&
      one.capability.stale === null &&
      isMatch(wanted, one),
  );
  return matching.length === 1 ? matching[0] : undefined;
}

function isMatch(wanted: ReadonlySet<string>, { capability }: FoundCapability): boolean {
  const { named, name, description, parametersSchema } = capability;
  const described = wordsOf(withoutPlaceholders(description));
  const inName = named ? wordsOf(name) : new Set<string>();
  const parameters = wordsOf(Object.keys(parametersSchema.properties ?? {}).join(' '));
  const [verb] = wanted;
  const isKnown = (word: string) => described.has(word) || inName.has(word);
  if (verb === undefined || !isKnown(verb)) return false;
  const shared = share(wanted, (word) => isKnown(word) || parameters.has(word));
  return shared >= INTENT_SHARE && share(described, (word) => wanted.has(word)) >= DESCRIPTION_SHARE;
}

function share(words: ReadonlySet<string>, has: (word: string) => boolean): number {
  return words.size === 0 ? 0 : [...words].filter(has).length / words.size;
}

/** A description has `{path}` where the intent of the first run had a value. */
function withoutPlaceholders(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/\{[^{}]*\}/g, ' ');
}

/** Returns the stems of all words but stop words, in order. */
function wordsOf(text: string): Set<string> {
  const words = text
    .slice(0, MAX_TEXT)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return new Set(words.filter((word) => word !== '' && !PLAIN_WORDS.has(word)).map(stem));
}

function stem(word: string): string {
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3).replace(/e$/, '');
  if (word.length > 4 && word.endsWith('es')) return word.slice(0, -2);
  const bare = word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word;
  return bare.length > 3 && bare.endsWith('e') ? bare.slice(0, -1) : bare;
}
