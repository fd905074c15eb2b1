/** Any value under such a key is secret. Keys are compared in lower case, by letters and digits alone. */
const ALWAYS_SECRET =
  /(?:password|passwd|passphrase|passcode|secret|apikey|accesskey|secretkey|privatekey|accountkey|authkey|signingkey|encryptionkey|sharedaccesssignature|credential|connectionstring)s?$|pwd$/;
/** In the singular such a key names a secret. */
const OFTEN_SECRET = /(?:token|cookie|authorization|jwt)$|^(?:pin|otp|pat|bearer)$/;
/** In the plural (`tokens: 4096`, `tokens: ["USDC"]`) the values decide. */
const PLURAL = /(?:token|cookie|jwt)s$/;
/** Keys that end like a secret and name none: page tokens, coins, the tokens of a language model. */
const NEVER_SECRET =
  /(?:page|next|sync|continuation|cursor)tokens?$|^(?:start|fee|from|to|in|out|base|quote|stop|bos|eos|pad)tokens?$/;
/** A random word under such a key is an id or content, not a secret. */
const ID_OR_CONTENT =
  /(?:id|ids|uid|uuid|guid|sha|hash|digest|cursor|etag|checksum|ref|address|cid|path|file|url|uri|data|content|image|blob|body|text|token|key|name|slug|signature)$/;
/** Values that documentation and examples show in place of a secret. */
const PLACEHOLDER =
  /^(?:string|text|str|value|required|optional|true|false|null|none|undefined|redacted|hidden|\[hidden\]|your[\w-]*|my[_-][\w-]*)$/i;

/** True if the key alone makes its value secret, whatever that value is. */
export function namesSecret(key: string): boolean {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const folded = foldKey(key);
  const isSecret = (ALWAYS_SECRET.test(folded) || OFTEN_SECRET.test(folded)) && !NEVER_SECRET.test(folded);
  if (cache.size >= MAX_CACHED) cache.clear();
  if (key.length <= MAX_KEY) cache.set(key, isSecret);
  return isSecret;
}

/** The results of `namesSecret`: every call has the same few keys. */
const cache = new Map<string, boolean>();
const MAX_CACHED = 2000;
/** Only the end of a key tells whether it names a secret. */
const MAX_KEY = 200;

/** True if the values under a plural key may be secret: then each value decides. */
export function namesPossibleSecrets(key: string): boolean {
  if (!/s$/i.test(key)) return false;
  const folded = foldKey(key);
  return PLURAL.test(folded) && !NEVER_SECRET.test(folded);
}

/** True if the key makes this value secret: `password`, `clientSecret`, `X-API-Key`. */
export function isSecretKey(key: string, value: string): boolean {
  const folded = foldKey(key);
  if (NEVER_SECRET.test(folded)) return false;
  if (ALWAYS_SECRET.test(folded)) return true;
  if (PLURAL.test(folded)) return couldBeSecret(value);
  // `token: "USDC"` names a coin; a value that is short or has spaces protects nothing.
  return OFTEN_SECRET.test(folded) && /^\S{8,}$|^\d{4,8}$|;|=/.test(value);
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
