/**
 * The Porter2 stemmer for English (snowballstem.org/algorithms/english): `listing`, `listed` and `lists` become `list`.
 * Words in other scripts, and words of one or two letters, are returned as they are.
 */
export function stem(word: string): string {
  if (word.length <= 2 || word.length > MAX_WORD || !/^[a-z0-9]+$/.test(word)) return word;
  const exception = EXCEPTIONS.get(word);
  if (exception !== undefined) return exception;
  // Y stands for a y that is a consonant.
  let text = markConsonants(word);
  const r1 = regionOne(text);
  const r2 = regionAfter(text, r1);
  text = removePlural(text);
  if (DONE_AFTER_PLURAL.has(text)) return text;
  text = removePast(text, r1);
  if (text.length > 2 && /[yY]$/.test(text) && !isVowel(text[text.length - 2]))
    text = `${text.slice(0, -1)}i`;
  text = replaceSuffix(text, r1, STEP_2, (before, suffix) => {
    if (suffix === 'ogi') return before.endsWith('l');
    return suffix !== 'li' || /[cdeghkmnrt]$/.test(before);
  });
  text = replaceSuffix(text, r1, STEP_3, (before, suffix) => suffix !== 'ative' || before.length >= r2);
  text = replaceSuffix(text, r2, STEP_4, (before, suffix) => suffix !== 'ion' || /[st]$/.test(before));
  return removeFinal(text, r1, r2).toLowerCase();
}

/** Longer words are no English words. */
const MAX_WORD = 40;

const EXCEPTIONS = new Map(
  Object.entries({
    skis: 'ski',
    skies: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    idly: 'idl',
    gently: 'gentl',
    ugly: 'ugli',
    early: 'earli',
    only: 'onli',
    singly: 'singl',
    sky: 'sky',
    news: 'news',
    howe: 'howe',
    atlas: 'atlas',
    cosmos: 'cosmos',
    bias: 'bias',
    andes: 'andes',
  }),
);
const DONE_AFTER_PLURAL = new Set([
  'inning',
  'outing',
  'canning',
  'herring',
  'earring',
  'proceed',
  'exceed',
  'succeed',
]);

type Replacements = readonly (readonly [suffix: string, replacement: string])[];

/** Longest suffix first. */
const STEP_2: Replacements = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og'],
  ['li', ''],
];
const STEP_3: Replacements = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
const STEP_4: Replacements = [
  'ement',
  'ance',
  'ence',
  'able',
  'ible',
  'ment',
  'ant',
  'ent',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'ion',
  'al',
  'er',
  'ic',
].map((suffix) => [suffix, ''] as const);

function isVowel(letter: string | undefined): boolean {
  return letter !== undefined && 'aeiouy'.includes(letter);
}

function markConsonants(word: string): string {
  if (!word.includes('y')) return word;
  let text = '';
  for (const letter of word)
    text += letter === 'y' && (text === '' || isVowel(text[text.length - 1])) ? 'Y' : letter;
  return text;
}

function regionOne(text: string): number {
  const prefix = /^(?:gener|commun|arsen)/.exec(text);
  return prefix ? prefix[0].length : regionAfter(text, 0);
}

/** Where the text after the first consonant that follows a vowel begins. */
function regionAfter(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++)
    if (isVowel(text[at - 1]) && !isVowel(text[at])) return at + 1;
  return text.length;
}

function removePlural(text: string): string {
  if (text.endsWith('sses')) return text.slice(0, -2);
  if (text.endsWith('ied') || text.endsWith('ies')) return text.slice(0, text.length > 4 ? -2 : -1);
  if (text.endsWith('us') || text.endsWith('ss') || !text.endsWith('s')) return text;
  return hasVowel(text.slice(0, -2)) ? text.slice(0, -1) : text;
}

function hasVowel(text: string): boolean {
  return /[aeiouy]/.test(text);
}

function removePast(text: string, r1: number): string {
  const suffix = ['eedly', 'ingly', 'edly', 'eed', 'ing', 'ed'].find((one) => text.endsWith(one));
  if (suffix === undefined) return text;
  const before = text.slice(0, -suffix.length);
  if (suffix.startsWith('eed')) return before.length >= r1 ? `${before}ee` : text;
  if (!hasVowel(before)) return text;
  if (/(?:at|bl|iz)$/.test(before)) return `${before}e`;
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(before)) return before.slice(0, -1);
  return isShort(before, r1) ? `${before}e` : before;
}

/** A short word ends in a short syllable and has nothing after it. */
function isShort(text: string, r1: number): boolean {
  return r1 >= text.length && endsInShortSyllable(text);
}

function endsInShortSyllable(text: string): boolean {
  if (text.length === 2) return isVowel(text[0]) && !isVowel(text[1]);
  return /[^aeiouy][aeiouy][^aeiouywxY]$/.test(text);
}

function replaceSuffix(
  text: string,
  region: number,
  table: Replacements,
  isAllowed: (before: string, suffix: string) => boolean,
): string {
  const found = table.find(([suffix]) => text.endsWith(suffix));
  if (!found) return text;
  const [suffix, replacement] = found;
  const before = text.slice(0, -suffix.length);
  return before.length >= region && isAllowed(before, suffix) ? before + replacement : text;
}

function removeFinal(text: string, r1: number, r2: number): string {
  const before = text.slice(0, -1);
  if (text.endsWith('e')) {
    const isRemoved = before.length >= r2 || (before.length >= r1 && !endsInShortSyllable(before));
    return isRemoved ? before : text;
  }
  return text.endsWith('ll') && before.length >= r2 ? before : text;
}
