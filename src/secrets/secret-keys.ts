/** Any value under such a key is secret. Keys are compared in lower case, by letters and digits alone. */
const ALWAYS_SECRET =
  /(?:password|passwd|passphrase|passcode|passkey|secret|apikey|accesskey|secretkey|privatekey|accountkey|authkey|signingkey|encryptionkey|licensekey|sharedaccesssignature|credential|connectionstring|seedphrase|recoveryphrase|(?:access|auth|refresh|bearer|session|security|csrf|xsrf|api|user|bot|login)token)s?$|pwd$|(?:credential|secret)(?:value|string|text)$/;
/** In the singular such a key names a secret. */
const OFTEN_SECRET = /(?:token|cookie|authorization|jwt)$|^(?:pin|otp|pat|bearer)$/;
/** In the plural (`tokens: 4096`, `tokens: ["USDC"]`) the values decide. */
const PLURAL = /(?:token|cookie|jwt)s$/;

/** A key that names a secret or something else (`pin: 13` of a board, `pass: 3` of a test), and values that decide it. */
interface DecidedByValue {
  readonly key: RegExp;
  readonly value: RegExp;
  /** The value must hold a digit. */
  readonly digit?: true;
  /** A number is no such secret. */
  readonly text?: true;
}

// biome-ignore format: a table
const DECIDED_BY_VALUE: readonly DecidedByValue[] = [
  { key: /^(?:user|account|atm|card|bank|login|security|sim|device|unlock|admin|new|old|current|confirm|transaction|payment|wallet|m|upi|door|lock)?pin(?:number|no)?$/, value: /^\d{3,12}$/ },
  { key: /otp(?:code|value)?$|^(?:mfa|2fa|totp)$/, value: /^\d{3,10}$/ },
  // Codes that prove who somebody is. `pincode` is none: in India it is a part of an address.
  { key: /(?:verification|verify|confirmation|confirm|security|authentication|authorization|auth|mfa|2fa|tfa|twofactor|sms|login|recovery|backup|unlock|reset|access|onetime)codes?$/, value: /^\S{3,500}$/, digit: true },
  { key: /(?:cvv|cvc)2?(?:code|number)?$|card(?:verification|security)(?:number|code|value)$/, value: /^\d{3,4}$/ },
  { key: /(?:card|cc)(?:number|num|no)$|^pan$/, value: /^\d(?:[ -]?\d){11,18}$/ },
  { key: /^(?:user|customer|employee|owner)?ssn$|socialsecurity(?:number|no)?$/, value: /^\d{3}[ -]?\d{2}[ -]?\d{4}$/ },
  { key: /passport(?:number|no)$/, value: /^[A-Za-z0-9]{6,12}$/, digit: true },
  { key: /^(?:user|db|smtp|imap|mail|ftp|ssh|admin|root|login|new|old|my)?(?:pass|pw)$/, value: /^\S{4,500}$/, text: true },
  { key: /^auth$/, value: /^\S{8,500}$/, digit: true, text: true },
];

/** Keys that end like a secret and name none: page tokens, coins, the tokens of a language model. */
const NEVER_SECRET =
  /(?:page|next|sync|continuation|cursor)tokens?$|^(?:max|min|num|total|start|fee|from|to|in|out|base|quote|stop|bos|eos|pad)tokens?$/;
/** A random word under such a key is an id or content, not a secret. */
const ID_OR_CONTENT =
  /(?:id|ids|uid|uuid|guid|sha|hash|digest|cursor|etag|checksum|ref|address|cid|path|file|url|uri|data|content|image|blob|body|text|token|key|name|slug|signature)$/;
/** Values that documentation and examples show in place of a secret. */
const PLACEHOLDER =
  /^(?:string|text|str|value|required|optional|true|false|null|none|undefined|redacted|hidden|\[hidden\]|your[\w-]*|my[_-][\w-]*)$/i;

/** The verdict of a key on its value. */
interface KeyVerdict {
  readonly isAlways: boolean;
  readonly isOften: boolean;
  readonly isPlural: boolean;
  readonly byValue: readonly DecidedByValue[];
}

const OPEN: KeyVerdict = { isAlways: false, isOften: false, isPlural: false, byValue: [] };

/** The verdicts on keys: every call has the same few. */
const cache = new Map<string, KeyVerdict>();
const MAX_CACHED = 2000;
/** Only the end of a key tells whether it names a secret. */
const MAX_KEY = 200;

function verdictOn(key: string): KeyVerdict {
  const cached = cache.get(key);
  if (cached) return cached;
  const folded = foldKey(key);
  const verdict = NEVER_SECRET.test(folded)
    ? OPEN
    : {
        isAlways: ALWAYS_SECRET.test(folded),
        isOften: OFTEN_SECRET.test(folded),
        isPlural: PLURAL.test(folded),
        byValue: DECIDED_BY_VALUE.filter((rule) => rule.key.test(folded)),
      };
  if (cache.size >= MAX_CACHED) cache.clear();
  if (key.length <= MAX_KEY) cache.set(key, verdict);
  return verdict;
}

/** True if the key alone makes its value secret, whatever that value is. */
export function namesSecret(key: string): boolean {
  const { isAlways, isOften } = verdictOn(key);
  return isAlways || isOften;
}

/** True if the values under a key may be secret: then each value decides. */
export function namesPossibleSecrets(key: string): boolean {
  const { isAlways, isPlural, byValue } = verdictOn(key);
  return !isAlways && (isPlural || byValue.length > 0);
}

/** True if the key makes this value secret: `password`, `clientSecret`, `X-API-Key`. */
export function isSecretKey(key: string, value: string): boolean {
  const { isAlways, isOften, isPlural, byValue } = verdictOn(key);
  if (isAlways || byValue.some((rule) => decides(rule, value))) return true;
  if (isPlural) return couldBeSecret(value);
  // `token: "USDC"` names a coin; a value with spaces protects nothing.
  return isOften && (/^\S{8,}$|^\d{4,8}$|;|=/.test(value) || isShortToken(value));
}

/** True if the key makes this number secret: a PIN, a card number, a password of digits. `token: 4096` counts tokens. */
export function isSecretNumber(key: string, value: number): boolean {
  const { isAlways, isOften, byValue } = verdictOn(key);
  const text = String(value);
  if (!/^\d{3,}$/.test(text)) return false;
  return (isAlways && !isOften) || byValue.some((rule) => !rule.text && decides(rule, text));
}

function decides({ value, digit }: DecidedByValue, text: string): boolean {
  return value.test(text) && (!digit || /\d/.test(text));
}

/** True for small letters mixed with digits, which the names of coins are not. */
function isShortToken(value: string): boolean {
  return /^[\w.-]{4,7}$/.test(value) && /[a-z]/.test(value) && /\d/.test(value);
}

/** True for a value that is neither a number of tokens nor the name of a coin. */
export function couldBeSecret(value: string): boolean {
  return /^\S{8,}$/.test(value) && !/^\d+$/.test(value);
}

export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || new Set(value.slice(0, 100)).size === 1;
}

/** True for a long word that looks random, where no id or content is expected. */
export function isRandomWord(value: string, key: string | undefined): boolean {
  if (!/^[A-Za-z0-9+/_=-]{32,}$/.test(value) || (key !== undefined && ID_OR_CONTENT.test(foldKey(key))))
    return false;
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value) && entropyOf(value) > 4;
}

function foldKey(key: string): string {
  return key
    .slice(-MAX_KEY)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

/** Shannon entropy in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
