/** In UTF-16 units. The slowest text of this length takes about 0.2 s to read. */
const MAX_SQL = 20_000;

export interface UnambiguousSql {
  /** As long as the original text, with `"` in the place of MySQL's backticks. */
  readonly text: string;
  /** The words outside quotes and comments, in lower case. */
  readonly words: readonly string[];
}

const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|--[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|[\w$\u0080-\uffff]+|[\s\S]/y;
const QUOTE = /^['"`]/;
/** Control characters, a carriage return that only some databases take for a line break, and half characters. */
const UNREADABLE = /[^\P{Cc}\t\n\r]|\r(?!\n)|\p{Cs}/u;
/** MySQL escapes a quote with a backslash. BigQuery opens a string with three quotes. */
const DISPUTED_QUOTES = /\\['"`]|'''|"""|```/;
const OTHER_SPACE = /[^\P{Z} ]/u;
const STRING_PREFIX = /^[benx]$/i;

/**
 * Returns undefined for texts that databases read in different ways, since PML does not know which database a tool asks.
 * What one takes for a string or a comment, another may run: in MySQL a backslash escapes a quote and `--x` is no comment,
 * in Snowflake `//` is one, and `$$` quotes in PostgreSQL alone.
 */
export function checkDialects(text: string): UnambiguousSql | undefined {
  if (text.length > MAX_SQL || UNREADABLE.test(text) || DISPUTED_QUOTES.test(text)) return undefined;
  const scan: Scan = { text: '', words: [], brackets: 0, hasHash: false, lastWord: '' };
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text)?.[0]; token !== undefined; token = TOKEN.exec(text)?.[0]) {
    if (isDisputed(token, scan)) return undefined;
    addToken(token, scan);
  }
  return scan;
}

interface Scan {
  text: string;
  words: string[];
  /** How many square brackets are open. */
  brackets: number;
  /** True after a `#`, up to the end of the line. */
  hasHash: boolean;
  /** The last token, if it is a word. */
  lastWord: string;
}

function isDisputed(token: string, { text, brackets, hasHash, lastWord }: Scan): boolean {
  // After `#` MySQL skips the line, so nothing may go on in the next one.
  if (hasHash && token.length > 1 && token.includes('\n')) return true;
  // In SQLite and SQL Server `[` quotes a name, up to the next `]`.
  if (brackets > 0 && token.length > 1 && token.includes(']')) return true;
  if (QUOTE.test(token)) return token.length === 1 || isDisputedQuote(token, lastWord);
  if (OTHER_SPACE.test(token)) return true;
  if (token.startsWith('--')) return /^--\S/.test(token);
  // MySQL runs comments that begin with `!`. In most databases comments do not nest.
  if (token.startsWith('/*')) return /^\/\*M?!/.test(token) || token.includes('/*', 2);
  if (token === '/') return text.endsWith('/');
  return token.includes('$') && !/^\$\d+$/.test(token);
}

function isDisputedQuote(token: string, lastWord: string): boolean {
  if (token.startsWith('`')) return token.includes('"');
  // Oracle's `q'[…]'` ends elsewhere.
  return token.startsWith("'") && lastWord !== '' && !STRING_PREFIX.test(lastWord);
}

function addToken(token: string, scan: Scan): void {
  const isWord = /^[\w$\u0080-\uffff]/.test(token);
  scan.text += token.startsWith('`') ? token.replaceAll('`', '"') : token;
  scan.lastWord = isWord ? token : '';
  if (isWord) scan.words.push(token.toLowerCase());
  else if (token === '#') scan.hasHash = true;
  else if (token === '\n') scan.hasHash = false;
  else if (token === '[') scan.brackets += 1;
  else if (token === ']') scan.brackets -= 1;
}
