import { withoutData } from './quoted-data.ts';
import { BRANDS, DETERMINERS, IRREGULAR, VERBS } from './vocabulary.ts';

/** In characters. A longer text is read up to here. */
const MAX_TEXT = 600;
const MAX_WORDS = 60;
const MAX_WORD = 24;

/**
 * Splits a sentence into lower-case words of ASCII letters and digits, without the values it quotes. Parts of one word stay
 * together with `-` (`array-like`, `web-socket`), `,` stands for any break between clauses, `$` begins a parameter's name.
 */
export function sentenceWords(text: string, parameters: readonly string[] = []): string[] {
  const known = new Set(parameters);
  const quoted = foldLetters(text.slice(0, MAX_TEXT)).replace(
    /[`'"“‘«{]([A-Za-z_]\w{0,60})[`'"”’»}]/g,
    (whole, name: string) => (whole.startsWith('{') || known.has(name) ? ` __${name} ` : whole),
  );
  const plain = withoutData(quoted)
    .replace(/\([^()]*\)/g, ' ')
    .replace(/['’]s\b/g, '')
    .replace(/[`'"“”‘’*{}<>]/g, ' ');
  const found = plain.match(/[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*|[,;:.!?—–]/g) ?? [];
  return found
    .slice(0, MAX_WORDS)
    .map((word) => `${word.startsWith('__') ? '$' : ''}${nameWords(word).join('-')}` || ',')
    .filter((word, at, all) => word !== ',' || all[at - 1] !== ',')
    .filter((word) => word !== '$' && !/^\d+$/.test(word));
}

/** Splits an identifier into lower-case words: `toISOString` is `to`, `iso`, `string`. */
export function nameWords(name: string): string[] {
  if (/^[a-z0-9]{1,24}$/.test(name)) return [name];
  return foldLetters(name.slice(0, MAX_TEXT))
    .replace(BRANDS, (brand) => brand.toLowerCase())
    .replace(/([A-Z]{2})s\b/g, '$1S')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.slice(0, MAX_WORD));
}

/** Writes letters with accents without them. */
function foldLetters(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '');
}

/** Returns the base form of a known verb: `reads`, `reading` and `parsed` are `read`, `read` and `parse`. */
export function verbOf(word: string): string | undefined {
  const known = IRREGULAR.get(word);
  if (known) return known;
  return verbForms(word).find((form) => VERBS.has(form));
}

function verbForms(word: string): string[] {
  const forms = [word];
  if (word.endsWith('ies')) forms.push(`${word.slice(0, -3)}y`);
  if (word.endsWith('es')) forms.push(word.slice(0, -2));
  if (word.endsWith('s')) forms.push(word.slice(0, -1));
  for (const ending of ['ing', 'ed']) {
    if (!word.endsWith(ending) || word.length < ending.length + 2) continue;
    const stem = word.slice(0, -ending.length);
    forms.push(stem, `${stem}e`);
    if (stem.at(-1) === stem.at(-2)) forms.push(stem.slice(0, -1));
    if (ending === 'ed' && stem.endsWith('i')) forms.push(`${stem.slice(0, -1)}y`);
  }
  return forms;
}

/** Returns the verb that a sentence begins with, even an unknown one if its place shows it: `frobs the list`. */
export function leadingVerb([first = '', second = '']: readonly string[]): string | undefined {
  const known = verbOf(first);
  if (known) return known;
  if (!DETERMINERS.has(second) || first.length < 3) return undefined;
  return /[^s]s$/.test(first) ? verbForms(first).at(-1) : undefined;
}

/** True for `parsed` and `omitted`, the forms of a verb that say what was done to a noun. */
export function isParticiple(word: string): boolean {
  const verb = word.endsWith('ed') ? verbOf(word) : undefined;
  return verb !== undefined && verb !== word;
}
