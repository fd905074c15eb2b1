/** The values that an intent states plainly, and its other words. */
export interface PlainValues {
  readonly quoted: readonly StatedValue[];
  readonly urls: readonly StatedValue[];
  readonly emails: readonly StatedValue[];
  readonly paths: readonly StatedValue[];
  readonly dates: readonly StatedValue[];
  readonly numbers: readonly StatedValue[];
  /** In lower case, without the values. */
  readonly words: readonly string[];
}

/** A value, and the words beside it, which often name it: `limit 10`, `10 lines`. */
export interface StatedValue {
  readonly text: string;
  readonly before: string;
  readonly after: string;
}

const MAX_INTENT = 2000;
const MAX_VALUE = 500;
const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '«': '»',
  '‘': '’',
};
const SPACE = /\s/;
const EDGES = new Set('.,;:!?()[]{}<>');

const URL_TEXT = /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s]+$/i;
const EMAIL = /^[^\s@]+@[^\s@.]+\.[^\s@]+$/;
const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const DATE = /^\d{4}-\d\d-\d\d(?:T[\d:.]{4,15}(?:Z|[+-]\d\d:?\d\d)?)?$/;
const FILE = /^[\w.-]*\w\.[A-Za-z]\w{0,7}$/;

/** Finds the values that stand plainly in an intent: quoted texts, URLs, addresses, paths, dates and numbers. */
export function plainValues(intent: string): PlainValues {
  const tokens = tokensOf(intent.slice(0, MAX_INTENT));
  const kinds = tokens.map(kindOf);
  const wordAt = (at: number) => (kinds[at] === 'words' ? (tokens[at] as Token).text.toLowerCase() : '');
  const all = (kind: string): StatedValue[] =>
    tokens.flatMap(({ text }, at) =>
      kinds[at] === kind ? [{ text, before: wordAt(at - 1), after: wordAt(at + 1) }] : [],
    );
  return {
    quoted: all('quoted'),
    urls: all('urls'),
    emails: all('emails'),
    paths: all('paths'),
    dates: all('dates'),
    numbers: all('numbers'),
    words: tokens.flatMap((_, at) => wordAt(at) || []),
  };
}

interface Token {
  readonly text: string;
  readonly isQuoted: boolean;
}

function kindOf({ text, isQuoted }: Token): Exclude<keyof PlainValues, never> {
  if (URL_TEXT.test(text)) return 'urls';
  if (EMAIL.test(text)) return 'emails';
  if (DATE.test(text)) return 'dates';
  if (isPath(text, isQuoted)) return 'paths';
  if (isQuoted) return 'quoted';
  return NUMBER.test(text) ? 'numbers' : 'words';
}

/** `a/b` alone may mean "a or b"; a path starts at a root, or ends in a file. */
function isPath(text: string, isQuoted: boolean): boolean {
  if (SPACE.test(text) || NUMBER.test(text)) return false;
  if (/^(?:[./~]|[A-Za-z]:\\)/.test(text)) return text.length > 1 && /[\\/]/.test(text);
  const last = text.split(/[\\/]/).at(-1) ?? '';
  // `e.g` is no file.
  return (FILE.test(last) && last.length > 3) || (isQuoted && text.includes('/'));
}

/** Splits at spaces; a quoted text is one token. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const char = text[at] as string;
    if (SPACE.test(char)) {
      at += 1;
      continue;
    }
    const end = quoteEnd(text, at);
    if (end !== undefined) {
      const quoted = text.slice(at + 1, end);
      if (quoted.trim() !== '') tokens.push({ text: quoted, isQuoted: true });
      at = end + 1;
      continue;
    }
    let next = at + 1;
    while (next < text.length && !SPACE.test(text[next] as string)) next += 1;
    const word = withoutEdges(text.slice(at, next));
    if (word !== '') tokens.push({ text: word, isQuoted: false });
    at = next;
  }
  return tokens;
}

/** Finds the closing quote of the text that opens at `at`; an apostrophe within a word closes nothing. */
function quoteEnd(text: string, at: number): number | undefined {
  const closing = CLOSING[text[at] as string];
  if (closing === undefined) return undefined;
  const end = text.indexOf(closing, at + 1);
  if (end <= at + 1 || end - at > MAX_VALUE) return undefined;
  const following = text[end + 1];
  return following === undefined || SPACE.test(following) || EDGES.has(following) ? end : undefined;
}

function withoutEdges(word: string): string {
  let [from, to] = [0, word.length];
  while (to > from && EDGES.has(word[to - 1] as string)) to -= 1;
  // A leading dot may begin a path.
  while (from < to && word[from] !== '.' && EDGES.has(word[from] as string)) from += 1;
  return word.slice(from, to);
}
