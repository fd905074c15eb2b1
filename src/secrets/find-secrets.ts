import { isPlaceholder, isSecretKey } from './secret-keys.ts';

/** The place of a secret in a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

interface Shape {
  /** The secret is the last group, or the whole match if there is no group. */
  readonly pattern: RegExp;
  readonly isSecret?: (value: string, found: RegExpExecArray) => boolean;
}

/**
 * Shapes that reveal a secret anywhere. Issuers publish these prefixes so that scanners can find them. Each pattern is
 * linear, even where it fails late; conditions that would need backtracking are left to `isSecret`.
 */
// biome-ignore format: a table
const ISSUED: readonly Shape[] = [
  { pattern: /\bgh[pousr]_[A-Za-z0-9]{20,}/dg },
  { pattern: /\bgithub_pat_\w{20,}/dg },
  { pattern: /\bglpat-[\w-]{18,}/dg },
  { pattern: /\b(?:(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9]{16,})/dg },
  { pattern: /\bsk-[\w-]{20,}/dg, isSecret: hasDigit },
  { pattern: /\b(?:xox[abeoprs]-[\w-]{10,}|xapp-\d-[\w-]{10,})/dg },
  { pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16,}/dg },
  { pattern: /\bAIza[\w-]{20,}/dg },
  { pattern: /\bya29\.[\w-]{20,}/dg },
  { pattern: /\bGOCSPX-[\w-]{20,}/dg },
  { pattern: /\b(?:npm_|hf_|lin_api_|secret_|ntn_|shpat_|shpss_|dop_v1_|dckr_pat_|gsk_|pplx-|tvly-(?:dev-)?)[A-Za-z0-9]{20,}/dg },
  { pattern: /\bpypi-AgE[\w-]{20,}/dg },
  { pattern: /\bfigd_[\w-]{20,}/dg },
  { pattern: /\bSG\.[\w.-]+/dg, isSecret: (word) => word.split('.').slice(1, 3).every(({ length }) => length >= 16) && word.length > 35 },
  { pattern: /\beyJ[\w.-]{20,}/dg, isSecret: (word) => /^eyJ[\w-]{8,}\.eyJ[\w-]{8,}/.test(word) },
  { pattern: /-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/dg, isSecret: (block) => block.slice(0, 60).includes('PRIVATE KEY') },
  { pattern: /\b(?:bearer|basic|token)\s{1,3}([\w.~+/=-]{12,})/dgi, isSecret: (word) => /\d|[a-z][A-Z]/.test(word) },
  // https://user:password@host, https://TOKEN@host
  { pattern: /:\/\/([^\s/?#@,"'`<>${}][^\s/?#,"'`<>${}]{0,400})@/dg, isSecret: isUserInfo },
  { pattern: /\bhooks\.slack\.com\/services\/([^\s"'`<>]+)/dg },
  { pattern: /\bdiscord(?:app)?\.com\/api\/webhooks\/([^\s"'`<>]+)/dg },
  { pattern: /\bwebhook\.office\.com\/([^\s"'`<>]+)/dg },
];

/** Shapes that reveal a secret by its place: a cookie header, a signature in a query, a login. */
// biome-ignore format: a table
const PLACED: readonly Shape[] = [
  { pattern: /\bcookie:\s{0,3}([^\n"'`]+)/dgi, isSecret: (value) => value.includes('=') },
  { pattern: /[?&](?:sig|signature|key|x-amz-signature|x-goog-signature)=([\w%.~+/-]{16,})/dgi, isSecret: isMixed },
  // curl -u user:password
  { pattern: /\s(?:-u|-U|--user|--proxy-user)[\s=]{1,3}["']?([^\s"'`$]+)/dg, isSecret: isLogin },
];

/** The end of a name whose value is secret. */
const NAME =
  /(?:pass(?:word|wd|phrase|code)|pwd|secret|(?:api|access|secret|private|account|auth|signing|encryption)[_-]?key|sharedaccesssignature|credential|token|jwt|authorization|connection[_-]?string)s?/gi;

interface NamedShape {
  /** Matches after the name; the secret is its group. */
  readonly after: RegExp;
  readonly isSecret: (value: string, name: string) => boolean;
}

/** The ways in which a value follows its name in a command, a URL, a header, a setting or JSON. */
// biome-ignore format: a table
const NAMED: readonly NamedShape[] = [
  // "password": "…", password='…', and the first inside of another text: \"password\":\"…\"
  { after: /["']?\s{0,3}[:=]\s{0,3}"((?:[^"\\\n]|\\.)+)/dy, isSecret: isNamed },
  { after: /["']?\s{0,3}[:=]\s{0,3}'((?:[^'\\\n]|\\.)+)/dy, isSecret: isNamed },
  { after: /\\["']\s{0,3}[:=]\s{0,3}\\["']([^"'\\\n]+)/dy, isSecret: isNamed },
  // X_TOKEN=…, ?access_key=…, AccountKey=…
  { after: /=([^\s"'`&;,$<>(){}[\]%*:\\][^\s"'`&;,]{3,})/dy, isSecret: isNamed },
  // X-Api-Key: …, password = …
  { after: /\s{0,3}[:=]\s{0,3}([^\s"'`,;&$<>(){}[\]\\:@%*][^\s"'`,;&$<>(){}[\]\\]{5,})/dy, isSecret: (value, name) => isMixed(value) && isNamed(value, name) },
  // --api-key …
  { after: /[\s=]{1,3}["']?([^\s"'`,;&$<>(){}[\]\\]{6,})/dy, isSecret: (value, name) => isMixed(value) && /^--?\w/.test(name) && isNamed(value, name) },
];

/** A shorter text cannot hold a secret with its name. */
const MIN_TEXT = 8;
/** In characters before the word in which the name ends. */
const MAX_NAME = 60;

/** Finds all that looks like a secret in a text, in order, without overlaps. */
export function findSecrets(text: string): Span[] {
  if (text.length < MIN_TEXT) return [];
  const found: Span[] = [];
  for (const shape of [...ISSUED, ...PLACED]) collect(text, shape, found);
  const names = [...text.matchAll(NAME)];
  if (names.length > 0) for (const shape of NAMED) collectNamed(text, names, shape, found);
  return found.length > 1 ? mergeSpans(found) : found;
}

/** True if a text holds a secret that is recognisable anywhere, also in code. */
export function hasIssuedSecret(text: string): boolean {
  return ISSUED.some((shape) => collect(text, shape, []).length > 0);
}

/** Sorts spans and merges those that overlap or touch. */
export function mergeSpans(spans: readonly Span[]): Span[] {
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

/** Searches after each name, but not inside the value of an earlier one, so that the text is read once. */
function collectNamed(
  text: string,
  names: readonly RegExpExecArray[],
  { after, isSecret }: NamedShape,
  into: Span[],
): void {
  let from = 0;
  for (const { index, 0: name } of names) {
    if (index < from) continue;
    after.lastIndex = index + name.length;
    const found = after.exec(text);
    if (!found) continue;
    from = after.lastIndex;
    const [start, end] = (found.indices as RegExpIndicesArray)[1] as [number, number];
    if (isSecret(found[1] as string, nameStart(text, index) + name)) into.push({ start, end });
  }
}

/** Returns the beginning of a name whose end was found: `next_page_`, `--api-`, `X-`. */
function nameStart(text: string, end: number): string {
  let start = end;
  while (start > end - MAX_NAME && /[\w.-]/.test(text[start - 1] ?? '')) start -= 1;
  return text.slice(start, end);
}

function isNamed(value: string, name: string): boolean {
  return !isPlaceholder(value) && !isExpression(value) && isSecretKey(name, value);
}

/** True for code that stands for a value: `args.token`, `getToken(`, `/home/ana`. */
function isExpression(value: string): boolean {
  return /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|^[A-Za-z_][\w.]*\(|^[/~]/.test(value);
}

function hasDigit(word: string): boolean {
  return /\d/.test(word);
}

/** True for letters mixed with digits, which words do not have. */
function isMixed(word: string): boolean {
  return /[A-Za-z]/.test(word) && /\d/.test(word);
}

function isUserInfo(user: string): boolean {
  return /^[^:]*:./.test(user) || user.length > 15 || (user.length > 9 && isMixed(user));
}

/** True for `user:password`, but not for user and group as in `docker run -u 1000:1000`. */
function isLogin(login: string, { index, input }: RegExpExecArray): boolean {
  if (!/^[^:]+:./.test(login) || /^\d+:\d+$/.test(login)) return false;
  return (
    isMixed(login.slice(login.indexOf(':'))) ||
    /\b(?:curl|wget|https?)\b/.test(input.slice(Math.max(0, index - 2000), index))
  );
}
