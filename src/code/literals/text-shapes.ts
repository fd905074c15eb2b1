import { anyOf, finder, inOrder, onOneLine, type Shape } from './linear-patterns.ts';

/** An SQL statement; `Select a seat from the list.` is none. */
export const sql: Shape = (text) => !/[.!]\s*$|\w\?\s*$/.test(text) && statement(text);

const statement = anyOf(
  /^\s*--\s/,
  /^\s*select\s+(?:distinct\s+|all\s+|top\s+\d+\s+)?(?:[*(\d'"`$:@]|[\w.]+\s*[,(=+*/|-]|[\w.]+\s+(?:as|from|into)\b)/i,
  inOrder(/^\s*SELECT\s/, /\sFROM\s/),
  inOrder(/^\s*with\b/i, /\bas\s*\(/i, /\bselect\b/i),
  /^\s*insert\s+into\s+[^\s(]+\s*(?:\(|values\b|select\b)/i,
  /^\s*delete\s+from\s+\S+\s*(?:where\b|;|$)/i,
  /^\s*merge\s+into\s+\S+\s+(?:as\s|using\b)/i,
  /^\s*update\s+\S+\s+set\s+\S+\s*=/i,
  /^\s*(?:CREATE|ALTER|DROP|TRUNCATE)\s+(?:OR\s+REPLACE\s+|UNIQUE\s+|TEMP(?:ORARY)?\s+|MATERIALIZED\s+)?[A-Z]+\s/,
  /^\s*(?:create|alter|drop|truncate)\s+(?:or\s+replace\s+|unique\s+|temp(?:orary)?\s+)?(?:table|view|index|schema|database)\s+(?:if\s+(?:not\s+)?exists\s+)?[\w."]+\s*(?:\(|;|$|as\b|on\b|add\b|drop\b)/i,
  /^\s*explain\s+(?:analy[sz]e\b|verbose\b|query\s+plan\b|select\b|\()/i,
  /^\s*(?:pragma\s+\w+|(?:GRANT|REVOKE)\s+[A-Z]+)/,
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
  /\b(?:and|or)\s+[\w.]+\s*(?:=|!=|<>|<|>|~|in\s*[([])/i,
  hasTwoTerms,
);

/** Finds `is:open label:bug`, with or without other words between them on the line. */
function hasTwoTerms(text: string): boolean {
  let before = Infinity;
  for (const { index, 0: term } of text.matchAll(/(?:^|\s)-?[a-z_]+:[^\s/]\S*/gi)) {
    const between = text.slice(before, index + 1).trimStart();
    if (before <= index && !/[\n\r\u2028\u2029]/.test(between.slice(0, -1))) return true;
    before = index + term.length;
  }
  return false;
}

/** A known search operator, or signs that plain words do not have: `is:unread`, `p1 & overdue`. */
export const searchOperator = anyOf(
  /(?:^|[\s(-])(?:is|has|in|from|to|site|inurl|intitle|filetype|label|repo|org|user|author|assignee|language|subject|before|after|newer_than|older_than|status|type|tag|port):\S/i,
  /\s[&|]{1,2}\s|^!|[<>]=?\s*\d/,
);

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
  /\{[a-z]\w*\}/i,
);

/** A document in HTML or XML. Code may hold markup, too. */
export const markup: Shape = (text) =>
  /^\s*<(?:[a-z!]|\?xml)/i.test(text) && (hasElement(text) || /^\s*<(?:!doctype|\?xml)|\/>\s*$/i.test(text));

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
  return (
    COMMANDS.has(command) &&
    /\s--?[a-z]|\s(?:\.{0,2}\/|~|\.$|\$[a-z{(])|\||&&|>\s*[\w./]/i.test(text.slice(start.length))
  );
};

/** A flag of a command, such as `--verbose`. */
export const flag = anyOf(/^--?[a-z][\w-]*$/i);

/** CSS with a combinator or an attribute, XPath, JSONPath. `Home > Settings` and `#fun #travel` are none. */
export const selector = anyOf(
  /^\/\/[\w*]+(?:\[|\/|$)/,
  /^\$(?:\.[a-z*.[]|\[)/i,
  /(?:^|[\s,])(?:div|span|ul|ol|li|h[1-6]|table|tr|td|body|main|section|article|nav|form|input|button|img)(?:[.#:[][^\s,>]*)?\s*>\s*[\w.#*[]/,
  /(?:^|[\s,])[a-z]*[.#][a-z][\w-]*\s*>\s*[a-z.#*[]/,
  onOneLine(/[\w\]*]?\[[\w-]+[*^$~|]?=./g, /\]/g),
  /:nth-child|::before|::after/,
  /^#[a-z][\w-]*\s+\.[a-z]|^\.[a-z][\w-]*\s+[.#][a-z]/i,
);

export const code = anyOf(
  /\)\s*=>|=>\s*[{(]/,
  /\b(?:const|let|var)\s+\w+\s*=/,
  /\bfunction\b\s*(?:\w+\s*)?\(/,
  /\bdef\s+\w+\(/,
  /^[ \t]*from\s+[\w.]+\s+import\b/m,
  /^[ \t]*import\s+[\w.]+(?:\s+as\s|;|\n)/m,
  onOneLine(/\breturn\b/g, /;\s*$|\}/gm),
  /\b(?:console|document|window|process|Math|JSON|os|sys)\.[a-z]\w*\s*[(.=[]/,
  onOneLine(/\b(?:print|rate|sum|avg|count|increase|histogram_quantile)\((?!s\))/g, /\)/g),
  onOneLine(/\bif\s*\(/g, /\)\s*[{:]/g),
  onOneLine(/\w\(/g, /\)\s*[;{]/g),
  /^\w+\(\)$/,
  onOneLine(/=|\w\(|\{/g, /;\s*$/gm),
  /^#!|^<\?php/,
  onOneLine(/\w\{\w+=~?"/g, /"\}/g),
);

/** Arithmetic with powers or functions; `2024-05-01`, `a/b` and `24/7` are none. */
export const formula = anyOf(
  /[\w)](?:\*\*[\d(]| \*\* )/,
  /\b(?:sin|cos|tan|sqrt|log|ln|exp)\(/,
  (text) => /^[\d\s.()+*/-]+$/.test(text) && /\d\s*[*+]\s*[\d(]/.test(text),
);

/** Signs of a language: operators, brackets, quotes. */
export const operators = anyOf(/[=<>&|{}();`^]|\s[+*/]\s|\w[+*]\w/);

export const url = anyOf(/^[a-z][a-z0-9+.-]*:\/\/\S+$/i, /^(?:mailto|urn|data|tel|doi|arn):\S+$/i);

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
