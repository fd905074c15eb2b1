import { isPlaceholder, isSecretKey } from './keys.ts';

/** Where a text holds a secret. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

interface Shape {
  /** The secret is the last group, or all that is found if there is no group. */
  readonly pattern: RegExp;
  readonly isSecret?: (value: string, found: RegExpExecArray) => boolean;
}

/**
 * What gives a secret away wherever it stands. Issuers publish these prefixes so that scanners can find them.
 * Each pattern reads a text once, also where it fails late. What it could tell only by looking twice is told by `isSecret`.
 */
// biome-ignore format: a table
const ISSUED: readonly Shape[] = [
  { pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{18,})/dg },
  { pattern: /\b(?:(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9]{16,})/dg },
  { pattern: /\bsk-[\w-]{20,}/dg, isSecret: hasDigit },
  { pattern: /\b(?:xox[abeoprs]-[\w-]{10,}|xapp-\d-[\w-]{10,})/dg },
  { pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16,}/dg },
  { pattern: /\b(?:AIza[\w-]{30,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,})/dg },
  { pattern: /\b(?:npm_|hf_|lin_api_|secret_|ntn_|shpat_|shpss_|dop_v1_|dckr_pat_|gsk_|pplx-|tvly-(?:dev-)?)[A-Za-z0-9]{20,}/dg },
  { pattern: /\b(?:pypi-AgE[\w-]{20,}|figd_[\w-]{20,})/dg },
  { pattern: /\bSG\.[\w-]{16,}\.[\w-]{16,}/dg },
  { pattern: /\beyJ[\w.-]{20,}/dg, isSecret: (word) => /^eyJ[\w-]{8,}\.eyJ[\w-]{8,}/.test(word) },
  { pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/dg },
  { pattern: /\b(?:bearer|basic|token)\s{1,3}([\w.~+/=-]{12,})/dgi, isSecret: (word) => /\d|[a-z][A-Z]/.test(word) },
  // https://user:password@host, https://TOKEN@host
  { pattern: /:\/\/([^\s/?#@,"'`<>${}][^\s/?#,"'`<>${}]{0,400})@/dg, isSecret: isUserInfo },
  { pattern: /\bhttps:\/\/(?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks|[\w.-]{0,100}webhook\.office\.com)\/([^\s"'`<>]+)/dg },
];

const KEY =
  '(?:pass(?:word|wd|phrase|code)|pwd|secret|(?:api|access|secret|private|account|auth|signing|encryption)[_-]?key|sharedaccesssignature|credential|token|jwt|authorization|connection[_-]?string)s?';
const IS = '\\s{0,3}[:=]\\s{0,3}';

/** What follows a word that says it is secret, as in a command, a URL, a header, a setting or JSON. */
// biome-ignore format: a table
const NAMED: readonly Shape[] = [
  // "password": "…", password='…', and the first inside of another text: \"password\":\"…\"
  { pattern: named(`["']?${IS}"((?:[^"\\\\\\n]|\\\\.)+)`), isSecret: isNamed },
  { pattern: named(`["']?${IS}'((?:[^'\\\\\\n]|\\\\.)+)`), isSecret: isNamed },
  { pattern: named(`\\\\["']${IS}\\\\["']([^"'\\\\\\n]+)`), isSecret: isNamed },
  // X_TOKEN=…, ?access_key=…, AccountKey=…
  { pattern: named('=([^\\s"\'`&;,$<>(){}[\\]%*:\\\\][^\\s"\'`&;,]{3,})'), isSecret: isNamed },
  // X-Api-Key: …, password = …
  { pattern: named(`${IS}([^\\s"'\`,;&$<>(){}[\\]\\\\:@%*][^\\s"'\`,;&$<>(){}[\\]\\\\]{5,})`), isSecret: (value, found) => isMixed(value) && isNamed(value, found) },
  // --api-key …
  { pattern: named('[\\s=]{1,3}["\']?([^\\s"\'`,;&$<>(){}[\\]\\\\]{6,})'), isSecret: (value, found) => isMixed(value) && /^--?\w/.test(wordBefore(found)) && isNamed(value, found) },
  { pattern: /\bcookie:\s{0,3}([^\n"'`]+)/dgi, isSecret: (value) => value.includes('=') },
  { pattern: /[?&](?:sig|signature|key|x-amz-signature|x-goog-signature)=([\w%.~+/-]{16,})/dgi, isSecret: isMixed },
  // curl -u user:password
  { pattern: /\s(?:-u|-U|--user|--proxy-user)[\s=]{1,3}["']?([^\s:"'`$]{1,200}:[^\s"'`$]+)/dg, isSecret: isLogin },
];

const HAS_NAME = new RegExp(`${KEY}|cookie:|[?&](?:sig|key|x-)|\\s-u|\\s--proxy|\\s--user`, 'i');
/** No secret with its name is shorter. */
const SHORTEST = 8;
/** How far a key reaches back from the word that it ends in. */
const LONGEST_KEY = 60;

/** Where a text holds what looks like a secret, in order, without overlaps. */
export function findSecrets(text: string): Span[] {
  if (text.length < SHORTEST) return [];
  const found: Span[] = [];
  for (const shape of ISSUED) collect(text, shape, found);
  if (HAS_NAME.test(text)) for (const shape of NAMED) collect(text, shape, found);
  return joined(found);
}

/** Whether a text holds a secret that is one whatever stands around it: so in code too. */
export function hasIssuedSecret(text: string): boolean {
  return ISSUED.some((shape) => collect(text, shape, []).length > 0);
}

/** The same places, in order; those that overlap or touch are one. */
export function joined(spans: readonly Span[]): Span[] {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}

function collect(text: string, { pattern, isSecret }: Shape, into: Span[]): Span[] {
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    if (isSecret && !isSecret(found.at(-1) as string, found)) continue;
    const [start, end] = (found.indices as RegExpIndicesArray).at(-1) as [number, number];
    into.push({ start, end });
  }
  return into;
}

function named(rest: string): RegExp {
  return new RegExp(KEY + rest, 'dgi');
}

/** The whole word of which the pattern found the end: `next_page_token`, `--api-key`, `X-Api-Key`. */
function wordBefore({ index, input, 0: text }: RegExpExecArray): string {
  let start = index;
  while (start > index - LONGEST_KEY && /[\w.-]/.test(input[start - 1] ?? '')) start -= 1;
  return input.slice(start, index) + (/^[\w-]+/.exec(text)?.[0] ?? '');
}

function isNamed(value: string, found: RegExpExecArray): boolean {
  return !isPlaceholder(value) && !isExpression(value) && isSecretKey(wordBefore(found), value);
}

/** A piece of code that stands for a value: `args.token`, `getToken(`, `/home/ana`. */
function isExpression(value: string): boolean {
  return /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|^[A-Za-z_][\w.]*\(|^[/~]/.test(value);
}

function hasDigit(word: string): boolean {
  return /\d/.test(word);
}

/** Letters with something among them that words do not have. */
function isMixed(word: string): boolean {
  return /[A-Za-z]/.test(word) && /\d/.test(word);
}

function isUserInfo(user: string): boolean {
  return /^[^:]*:./.test(user) || user.length > 15 || (user.length > 9 && isMixed(user));
}

/** `docker run -u 1000:1000` names a user and a group. */
function isLogin(login: string, { index, input }: RegExpExecArray): boolean {
  if (/^\d+:\d+$/.test(login)) return false;
  return (
    isMixed(login.slice(login.indexOf(':'))) ||
    /\b(?:curl|wget|https?)\b/.test(input.slice(Math.max(0, index - 2000), index))
  );
}
