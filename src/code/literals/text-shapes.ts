import { anyOf, finder, inOrder, onOneLine, type Shape } from './linear-patterns.ts';

export const sql = anyOf(
  /^\s*--/,
  inOrder(/^\s*select\b/i, /\bfrom\b|[*(\d]/i),
  inOrder(/^\s*with\b/i, /\bselect\b/i, /\bfrom\b|[*(\d]/i),
  /^\s*(?:insert\s+into|delete\s+from|merge\s+into|update\s+\S+\s+set)\b/i,
  /^\s*(?:create|alter|drop|truncate)\s+(?:or\s+replace\s+|unique\s+|temp(?:orary)?\s+|materialized\s+)?(?:table|view|index|database|schema|function|type|role|user|extension|sequence|trigger)\b/i,
  /^\s*(?:explain|pragma|grant|revoke)\s+\w/i,
  /^\s*show\s+(?:tables|databases|columns|create)\b/i,
);

/** GraphQL, Cypher, and Kusto pipes. */
export const graphQuery = anyOf(
  /^\s*(?:query|mutation|subscription|fragment)\b[^{]*\{/i,
  /^\s*\{\s*\w+\s*[({][^:]*\}\s*$/s,
  /\b(?:MATCH|MERGE)\s*\(/,
  /^\s*\w+\s*\|\s*(?:where|project|summarize|take|extend|count|top|order|join|limit)\b/i,
);

/** OData, JQL, conditions of SQL and DynamoDB, `is:open label:bug`. */
export const filter = anyOf(
  /\w\/* (?:eq|ne|gt|ge|lt|le|contains|startswith) (?:['"\d]|true|false|null)/i,
  /^[\w.]+\s*(?:=|!=|<>|<=?|>=?|~)\s*(?:[:'"$?]|\w+\s+(?:and|or|order)\b)/i,
  /\b(?:and|or)\s+[\w.]+\s*(?:=|!=|<>|<|>|~|in\b)/i,
  hasTwoTerms,
);

/** Finds `is:open label:bug`, with or without other words between them on the line. */
function hasTwoTerms(text: string): boolean {
  let before = Infinity;
  for (const { index, 0: term } of text.matchAll(/(?:^|\s)-?[a-z_]+:\S+/gi)) {
    const between = text.slice(before, index + 1).trimStart();
    if (before <= index && !/[\n\r\u2028\u2029]/.test(between.slice(0, -1))) return true;
    before = index + term.length;
  }
  return false;
}

/** In a Windows path every name follows a backslash, as escapes in a regular expression do. */
const WINDOWS_PATH = /^(?:[a-z]:\\|\\\\)/i;

export const regularExpression = anyOf(
  (text) => /^.*\\[dwsb.(/[]/i.test(text) && !WINDOWS_PATH.test(text),
  /\(\?[:=!<]/,
  onOneLine(/\[\^?\w-\w/g, /\][+*{]/g),
  /^\^./,
  /^\.[*+]./,
  /[^*]\.[*+]\$?$/,
);

export const template = anyOf(
  inOrder(/\{\{[\s\S]/, /\}\}/),
  inOrder(/\$\{\w/, /\}/),
  inOrder(/<%/, /%>/),
  /%\(\w+\)s/,
);

export const markup = anyOf(hasElement, inOrder(/<[a-z][\w-]*\s/i, />/), /^\s*<(?:!doctype|\?xml)/i);

/** Finds `<b>…</b>`: a tag that is closed after it is opened. */
function hasElement(text: string): boolean {
  const closed = new Map<string, number>();
  for (const { index, 1: name = '' } of text.matchAll(/<\/([a-z][\w-]*)>/gi))
    closed.set(name.toLowerCase(), index);
  const nextEnd = finder(text, />/g);
  for (const { index, 0: tag, 1: name = '' } of text.matchAll(/<([a-z][\w-]*)/gi)) {
    const last = closed.get(name.toLowerCase());
    if (last !== undefined && nextEnd(index + tag.length) < last) return true;
  }
  return false;
}

const COMMANDS = new Set(
  `aws awk az bash cat cd chmod cp curl docker echo env find gcloud git grep helm kill kubectl ls
  make mkdir mv node npm npx pip pip3 ps python python3 rm sed sh ssh tail tar terraform wget`.split(/\s+/),
);

/** A known command with a flag, a path or an operator: `find a hotel` has none. */
export const shell: Shape = (text) => {
  const [start = '', command = ''] = /^(?:sudo |\w+=\S+ )*(\w+)/.exec(text) ?? [];
  return COMMANDS.has(command) && /\s--?\w|\s[./~$]|[|;>]|&&/.test(text.slice(start.length));
};

/** CSS with a combinator or an attribute, XPath, JSONPath. */
export const selector = anyOf(
  /^\/\/[\w*]+(?:\[|\/|$)/,
  /^\$[.[]/,
  /[\w\])]\s+>\s+[\w.#*[]/,
  onOneLine(/\[[\w-]+[*^$~|]?=./g, /\]/g),
  /:nth-child/,
  /^[.#][\w-]+\s+[.#\w]/,
);

export const code = anyOf(
  /=>/,
  /\b(?:const|let|var)\s+\w+\s*=/,
  /\bfunction\b\s*(?:\w+\s*)?\(/,
  /\bdef\s+\w+\(/,
  /^[^\S\n\r\u2028\u2029]*(?:import|from)\s+[\w.]+\s*(?:import\b|as\b|;|$)/m,
  onOneLine(/\breturn\b/g, /[;}]/g),
  /\b(?:console|document|window|process|Math|JSON|os|sys)\.\w/,
  onOneLine(/\b(?:print|rate|sum|avg|count|increase|histogram_quantile)\(/g, /\)/g),
  onOneLine(/\bif\s*\(/g, /\)\s*[{:]/g),
  onOneLine(/\w\(/g, /\)\s*[;{]/g),
  /^\w+\(\)$/,
  /;\s*$/m,
  /^#!|^<\?php/,
  onOneLine(/\w\{\w+=~?"/g, /"\}/g),
);

export const url = anyOf(/^[a-z][a-z0-9+.-]*:\/\/\S+$/i, /^(?:mailto|urn|data|tel|doi|arn):\S+$/i);

export const path = anyOf(
  /^(?:\.{0,2}\/|~\/|[a-z]:\\|\\\\)[^\n]*$/i,
  /^[^\s/\\]*[/\\]\S*$/,
  /^[\w.@*{},!? -]*\.\w{1,8}$/,
  // A glob, such as `*.ts`.
  /^[\w.?{},[\]!@-]*\*[\w.*?{},[\]!@-]*$/,
);

export const time = anyOf(
  /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b/,
  /^\d{1,2}:\d{2}/,
  /^-?P?T?\d+\s?[a-z]{1,7}$/i,
  // cron
  /^[\d*][\d*/,-]*(?: [\d*?/,LW#A-Z-]+){4,5}$/,
  /^(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,? .*\d/i,
  /^(?:today|tomorrow|yesterday|(?:last|next|this|past) (?:\d+ )?\w+)$/i,
);

/** Addresses here hold no `,` and no `;`, so that a list can be read in one way only. */
const ADDRESSES = /^[^\s@<>,;]+@[^\s@<>,;]+>?(?:\s*[,;][\s,;]*[^\s@,;]+@[^\s@,;]+)*[,;]*$/;

/** One address or several; the first may be written `Ann <ann@example.org>`. */
export const mail: Shape = (text) =>
  ADDRESSES.test(text) || ADDRESSES.test(text.replace(/^[^<>\n]{1,60}</, ''));

export const number = anyOf(/^[-+]?[$€£]?\d[\d.,: ]*%?$/);

/** Three short items or more. */
export const list: Shape = (text) => {
  const items = text.split(/[,;]/);
  return items.length > 2 && !/[.!?\n]/.test(text) && items.every(({ length }) => length > 0 && length <= 30);
};

/** PostgreSQL cannot store NUL; other control characters and lone surrogates are no text. */
export const unstorable: Shape = (text) => !text.isWellFormed() || /[^\P{Cc}\t\n\r]/u.test(text);

export const json: Shape = (text) => {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

export const long: Shape = (text) => text.length > 500;

/** One line of a few words. */
export const phrase: Shape = (text) => !text.includes('\n') && wordsIn(text) <= 12;

export const sentence: Shape = (text) =>
  text.includes('\n') || wordsIn(text) >= 5 || (wordsIn(text) >= 3 && /[.!?…]$/.test(text));

function wordsIn(text: string): number {
  return text.trim().split(/\s+/).length;
}
