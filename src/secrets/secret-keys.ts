/** Whatever stands under such a key is secret. Keys are compared in lower case, letters and digits alone. */
const SECRET =
  /(?:password|passwd|passphrase|passcode|secret|apikey|accesskey|secretkey|privatekey|accountkey|authkey|signingkey|encryptionkey|sharedaccesssignature|credential|connectionstring)s?$|pwd$/;
/** Alone it names a secret; of several (`tokens: 4096`, `tokens: ["USDC"]`) the values decide. */
const OFTEN_SECRET = /(?:token|cookie|authorization|jwt)$|^(?:pin|otp|pat|bearer)$/;
const SEVERAL = /(?:token|cookie|jwt)s$/;
/** Ends like a secret and is none: page tokens, coins, the tokens of a language model. */
const NO_SECRET =
  /(?:page|next|sync|continuation|cursor)tokens?$|^(?:start|fee|from|to|in|out|base|quote|stop|bos|eos|pad)tokens?$/;
/** A random word under such a key is an id or content, not a secret. */
const RANDOM =
  /(?:id|ids|uid|uuid|guid|sha|hash|digest|cursor|etag|checksum|ref|address|cid|path|file|url|uri|data|content|image|blob|body|text|token|key|name|slug|signature)$/;
/** Stands in documentation and examples where a secret would stand. */
const PLACEHOLDER =
  /^(?:string|text|str|value|required|optional|true|false|null|none|undefined|redacted|hidden|\[hidden\]|your[\w-]*|my[_-][\w-]*)$/i;

/** Whether a key alone says that its value is secret, whatever that value is. */
export function namesSecret(key: string): boolean {
  const before = known.get(key);
  if (before !== undefined) return before;
  const folded = foldKey(key);
  const isSecret = (SECRET.test(folded) || OFTEN_SECRET.test(folded)) && !NO_SECRET.test(folded);
  if (known.size >= MOST_KNOWN) known.clear();
  if (key.length <= MAX_KEY) known.set(key, isSecret);
  return isSecret;
}

/** The same few keys are asked for with every call. */
const known = new Map<string, boolean>();
const MOST_KNOWN = 2000;
/** What a key says stands at its end. */
const MAX_KEY = 200;

/** Whether a key says of several values that they may be secret: each then decides for itself. */
export function namesSeveral(key: string): boolean {
  if (!/s$/i.test(key)) return false;
  const folded = foldKey(key);
  return SEVERAL.test(folded) && !NO_SECRET.test(folded);
}

/** `password`, `clientSecret`, `X-API-Key`: whatever stands there is secret. */
export function isSecretKey(key: string, value: string): boolean {
  const folded = foldKey(key);
  if (NO_SECRET.test(folded)) return false;
  if (SECRET.test(folded)) return true;
  if (SEVERAL.test(folded)) return canBeOneOfSeveral(value);
  // `token: "USDC"` names a coin; nothing that short or with spaces protects anything.
  return OFTEN_SECRET.test(folded) && /^\S{8,}$|^\d{4,8}$|;|=/.test(value);
}

/** Neither a number of tokens, nor the name of a coin. */
export function canBeOneOfSeveral(value: string): boolean {
  return /^\S{8,}$/.test(value) && !/^\d+$/.test(value);
}

export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || new Set(value.slice(0, 100)).size === 1;
}

/** A long word that looks drawn by lot, where no id or content is expected. */
export function isRandomWord(value: string, key: string | undefined): boolean {
  if (!/^[A-Za-z0-9+/_=-]{32,}$/.test(value) || (key !== undefined && RANDOM.test(foldKey(key))))
    return false;
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value) && entropyOf(value) > 4;
}

function foldKey(key: string): string {
  return key
    .slice(-MAX_KEY)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

/** Shannon entropy in bits a character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
