import { isJsonObject } from '../../json.ts';

/** More forms of values than any intent quotes. */
const MAX_FORMS = 500;
const MAX_FORM = 200;
/** Shorter words stand in a sentence by chance, unless they are quoted. */
const MIN_WORD = 4;
const MIN_QUOTED = 2;
const MIN_DIGITS = 2;

const PLAIN_WORD = /^\p{Ll}+$/u;
const WORD_CHAR = /[\p{L}\p{N}_]/u;
/** Between word characters, these hold a path, an address, a date or a number together. */
const JOINTS = './\\-@:,';
const OPENING = `'"\`“‘«`;
const CLOSING = `'"\`”’»`;

/** A text that stands for a parameter. */
interface Form {
  readonly text: string;
  readonly parameter: string;
  readonly isNumber: boolean;
  /** It stands for a parameter only in quotes. */
  readonly isQuoted: boolean;
}

/**
 * Puts the names of parameters in place of the values that an intent quotes: "move 'log.txt' to archive" becomes
 * "move '{source}' to {folder}". Only whole words are replaced, the longest first; words in `kept` only in quotes.
 */
export function generaliseIntent(
  intent: string,
  values: Readonly<Record<string, unknown>>,
  kept: ReadonlySet<string> = new Set(),
): string {
  const forms = formsOf(values, kept);
  const folded = foldCase(intent);
  let text = '';
  for (let at = 0; at < intent.length; ) {
    const form = startsWord(intent, at) ? forms.find((one) => stands(one, intent, folded, at)) : undefined;
    text += form ? `{${form.parameter}}` : intent[at];
    at += form ? form.text.length : 1;
  }
  return withoutRepetition(text);
}

/** The words of tools' names, which say what a procedure does. */
export function wordsOfNames(names: readonly string[]): Set<string> {
  const spaced = names.map((name) => name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase());
  return new Set(spaced.flatMap((name) => name.split(/[^a-z0-9]+/)));
}

/** Lists the texts to replace, the longest first. A text of two parameters stands for the first. */
function formsOf(values: Readonly<Record<string, unknown>>, kept: ReadonlySet<string>): Form[] {
  const forms = new Map<string, Form>();
  for (const [parameter, value] of Object.entries(values))
    for (const { text, isNumber, isMember } of textsOf(value)) {
      const key = foldCase(text);
      if (forms.size >= MAX_FORMS) break;
      if (text.length > MAX_FORM || forms.has(key)) continue;
      // A plain word within an object (`type: "person"`) says what the procedure is about.
      const isQuoted = kept.has(key) || key === foldCase(parameter) || (isMember && PLAIN_WORD.test(text));
      forms.set(key, { text, parameter, isNumber, isQuoted });
    }
  return [...forms.values()].sort((a, b) => b.text.length - a.text.length || (a.text < b.text ? -1 : 1));
}

interface HeldText {
  readonly text: string;
  readonly isNumber: boolean;
  /** It is a member of an object. */
  readonly isMember: boolean;
}

function* textsOf(value: unknown, depth = 0, isMember = false): Generator<HeldText> {
  if (typeof value === 'number') {
    yield { text: String(value), isNumber: true, isMember };
    if (!Number.isInteger(value)) yield { text: value.toFixed(2), isNumber: true, isMember };
  } else if (typeof value === 'string') {
    const text = value.trim();
    const last = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
    for (const one of new Set([text, last]))
      if (one !== '') yield { text: one, isNumber: isDigits(one), isMember };
  } else if (depth < 2 && (Array.isArray(value) || isJsonObject(value)))
    for (const one of Object.values(value).slice(0, MAX_FORMS))
      yield* textsOf(one, depth + 1, isMember || !Array.isArray(value));
}

function isDigits(text: string): boolean {
  return /^[\d.,]+$/.test(text);
}

/** True if the form stands at this place as a whole word, and is long enough to stand there on purpose. */
function stands({ text, isNumber, isQuoted }: Form, intent: string, folded: string, at: number): boolean {
  const isSame = isNumber ? intent.startsWith(text, at) : folded.startsWith(foldCase(text), at);
  const end = at + text.length;
  if (!isSame || !endsWord(intent, end)) return false;
  const quote = OPENING.indexOf(intent[at - 1] ?? ' ');
  if (quote !== -1 && intent[end] === CLOSING[quote] && text.length >= MIN_QUOTED) return true;
  return !isQuoted && text.length >= (isNumber ? MIN_DIGITS : MIN_WORD);
}

function startsWord(text: string, at: number): boolean {
  const before = text[at - 1] ?? ' ';
  if (WORD_CHAR.test(before)) return false;
  return !(JOINTS.includes(before) && WORD_CHAR.test(text[at - 2] ?? ' '));
}

function endsWord(text: string, end: number): boolean {
  const after = text[end] ?? ' ';
  if (WORD_CHAR.test(after)) return false;
  return !(JOINTS.includes(after) && WORD_CHAR.test(text[end + 1] ?? ' '));
}

/** Converts a text to lower case, unless that would change its length. */
function foldCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/** Makes one mention of the items of a list: "{paths}, {paths} and {paths}" is "{paths}". */
function withoutRepetition(text: string): string {
  let shorter = text;
  for (const [mention] of text.matchAll(/\{\w{1,60}\}/g)) {
    for (const between of [', ', ' and ', ', and ', ',']) {
      const twice = `${mention}${between}${mention}`;
      while (shorter.includes(twice)) shorter = shorter.replace(twice, () => mention);
    }
  }
  return shorter;
}
