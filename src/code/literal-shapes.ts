/** Says of a text whether it looks like something. All of them are tried on at most a few hundred characters. */
export type Shape = (text: string) => boolean;

function anyOf(...patterns: RegExp[]): Shape {
  return (text) => patterns.some((pattern) => pattern.test(text));
}

export const sql = anyOf(
  /^\s*--/,
  /^\s*(?:with\b.*\b)?select\b.*(?:\bfrom\b|\*|\(|\d)/is,
  /^\s*(?:insert\s+into|delete\s+from|merge\s+into|update\s+\S+\s+set)\b/i,
  /^\s*(?:create|alter|drop|truncate)\s+(?:or\s+replace\s+|unique\s+|temp(?:orary)?\s+|materialized\s+)?(?:table|view|index|database|schema|function|type|role|user|extension|sequence|trigger)\b/i,
  /^\s*(?:explain|pragma|grant|revoke)\s+\w/i,
  /^\s*show\s+(?:tables|databases|columns|create)\b/i,
);

/** GraphQL, Cypher, and the pipes of Kusto. */
export const graphQuery = anyOf(
  /^\s*(?:query|mutation|subscription|fragment)\b[^{]*\{/i,
  /^\s*\{\s*\w+\s*[({][^:]*\}\s*$/s,
  /\b(?:MATCH|MERGE)\s*\(/,
  /^\s*\w+\s*\|\s*(?:where|project|summarize|take|extend|count|top|order|join|limit)\b/i,
);

/** OData, JQL, the conditions of SQL and DynamoDB, `is:open label:bug`. */
export const filter = anyOf(
  /\b[\w/]+ (?:eq|ne|gt|ge|lt|le|contains|startswith) (?:['"\d]|true|false|null)/i,
  /^[\w.]+\s*(?:=|!=|<>|<=?|>=?|~)\s*(?:[:'"$?]|\w+\s+(?:and|or|order)\b)/i,
  /\b(?:and|or)\s+[\w.]+\s*(?:=|!=|<>|<|>|~|in\b)/i,
  /(?:^|\s)-?[a-z_]+:\S+\s+(?:.*\s)?-?[a-z_]+:\S/i,
);

export const regularExpression = anyOf(
  // Not in a path of Windows, where every name follows a backslash.
  /^(?![a-z]:\\|\\\\)(?=.*\\[dwsbDWSB.(/[])/i,
  /\(\?[:=!<]/,
  /\[\^?\w-\w.*\][+*{]/,
  /^\^./,
  /^\.[*+]./,
  /[^*]\.[*+]\$?$/,
);

export const template = anyOf(/\{\{.+\}\}/s, /\$\{\w+.*\}/s, /<%.*%>/s, /%\(\w+\)s/);

export const markup = anyOf(
  /<([a-z][\w-]*)\b[^>]*>.*<\/\1>/is,
  /<[a-z][\w-]*\s[^>]*\/?>/i,
  /^\s*<(?:!doctype|\?xml)/i,
);

const COMMANDS =
  'aws|awk|az|bash|cat|cd|chmod|cp|curl|docker|echo|env|find|gcloud|git|grep|helm|kill|kubectl|ls|make|mkdir|mv|node|npm|npx|pip3?|ps|python3?|rm|sed|sh|ssh|tail|tar|terraform|wget';
/** A known command with a flag, a path or an operator: `find a hotel` has none. */
export const shell = anyOf(
  new RegExp(`^(?:sudo |\\w+=\\S+ )*(?:${COMMANDS})\\b.*(?:\\s--?\\w|\\s[./~$]|[|;>]|&&)`, 's'),
);

/** CSS with a combinator or an attribute, XPath, JSONPath. */
export const selector = anyOf(
  /^\/\/[\w*]+(?:\[|\/|$)/,
  /^\$[.[]/,
  /[\w\])]\s+>\s+[\w.#*[]/,
  /\w?\[[\w-]+[*^$~|]?=.+\]/,
  /:nth-child/,
  /^[.#][\w-]+\s+[.#\w]/,
);

export const code = anyOf(
  /=>/,
  /\b(?:const|let|var)\s+\w+\s*=/,
  /\bfunction\b\s*\w*\s*\(/,
  /\bdef\s+\w+\(/,
  /^\s*(?:import|from)\s+[\w.]+\s*(?:import\b|as\b|;|$)/m,
  /\breturn\b.*[;}]/,
  /\b(?:console|document|window|process|Math|JSON|os|sys)\.\w/,
  /\b(?:print|rate|sum|avg|count|increase|histogram_quantile)\(.*\)/,
  /\bif\s*\(.*\)\s*[{:]/,
  /\w\(.*\)\s*[;{]/,
  /^\w+\(\)$/,
  /;\s*$/m,
  /^#!|^<\?php/,
  /\w\{\w+=~?".*"\}/,
);

export const url = anyOf(/^[a-z][a-z0-9+.-]*:\/\/\S+$/i, /^(?:mailto|urn|data|tel|doi|arn):\S+$/i);

export const path = anyOf(
  /^(?:\.{0,2}\/|~\/|[a-z]:\\|\\\\)[^\n]*$/i,
  /^\S*[/\\]\S*$/,
  /^[\w.@*{},!? -]*\.\w{1,8}$/,
  // A glob, such as `*.ts`.
  /^[\w.*?{},[\]!@-]*\*[\w.*?{},[\]!@-]*$/,
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

export const mail = anyOf(/^(?:[^<>\n]{1,60}<)?[^\s@<>]+@[^\s@<>]+>?(?:\s*[,;]\s*[^\s@]+@[^\s@]+)*$/);

export const number = anyOf(/^[-+]?[$€£]?\d[\d.,: ]*%?$/);

export const list = anyOf(/^[^,;.!?\n]{1,30}(?:[,;][^,;.!?\n]{1,30}){2,}$/);

/** PostgreSQL can store no NUL, and the others mean that the text is no text. */
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
