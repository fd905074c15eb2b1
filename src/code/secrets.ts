import { foldName } from './suggest.ts';

/**
 * Shapes that give a secret away wherever they stand. Issuers publish these prefixes so that scanners can find them.
 * They are tried on text of any length, so what may fail late is bounded.
 */
const SHAPES: readonly RegExp[] = [
  /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{18,})/,
  /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9]{16,}/,
  /\bsk-(?=[\w-]{0,100}\d)[\w-]{20,200}/,
  /\bxox[abeoprs]-[\w-]{10,}|\bxapp-\d-[\w-]{10,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}/,
  /\b(?:npm_|hf_|lin_api_|secret_|ntn_|shpat_|shpss_|dop_v1_|dckr_pat_|gsk_|pplx-|tvly-(?:dev-)?)[A-Za-z0-9]{20,}/,
  /\bpypi-AgE[\w-]{20,}|\bfigd_[\w-]{20,}/,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/,
  /\beyJ[\w-]{8,500}\.eyJ[\w-]{8,4000}\.[\w-]*/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/,
  /(?<=\b(?:[Bb]earer|[Bb]asic|[Tt]oken)\s)(?=[\w.~+/=-]{0,100}(?:\d|[a-z][A-Z]))[\w.~+/=-]{12,}/,
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@${}]{1,100}:[^\s/@${}]{1,100}@\S+/i,
  /\bhttps:\/\/(?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks|[\w.-]*webhook\.office\.com)\/\S+/,
  /(?<=\b(?:AccountKey|SharedAccessKey|SharedAccessSignature|Password|Pwd)=)[^;\s"'`]{4,}/i,
  /(?<=[?&](?:sig|signature|api_?key|token|access_token|X-Amz-Signature)=)[\w%.~+/-]{16,}/i,
];

const KEY =
  /(?:password|passwd|passphrase|secret|apikey|accesskey|secretkey|privatekey|accountkey|authkey|signingkey|encryptionkey|credentials?|authorization|cookie|connectionstring|token|jwt)$|^(?:pwd|pin|otp|pat|bearer)$/;
// Ends like a secret and is none: page tokens, coins, the tokens of a language model.
const KEY_OF_NO_SECRET =
  /(?:page|next|sync|continuation|cursor)token$|^(?:start|fee|from|to|in|out|base|quote|stop|bos|eos|pad)token$/;
// A random word under such a key is an id or content, not a secret.
const KEY_OF_RANDOM =
  /(?:id|ids|uid|uuid|guid|sha|hash|digest|cursor|etag|checksum|ref|address|cid|path|file|url|uri|data|content|image|blob|body|text|token|key|name|slug|signature)$/;

/** Where a literal looks like a secret, judged by its shape alone. */
export function findSecrets(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const shape of SHAPES) {
    for (const { index, 0: match } of text.matchAll(new RegExp(shape, `${shape.flags}g`))) {
      const end = index + match.length;
      if (!found.some((other) => index < other.end && other.start < end)) found.push({ start: index, end });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** The text with what looks like a secret left out, for what is stored and shown. */
export function withoutSecrets(text: string): string {
  let clean = '';
  let at = 0;
  for (const { start, end } of findSecrets(text)) {
    clean += `${text.slice(at, start)}[hidden]`;
    at = end;
  }
  return clean + text.slice(at);
}

export function hasSecretShape(text: string): boolean {
  return SHAPES.some((shape) => shape.test(text));
}

/** `password`, `clientSecret`, `X-API-Key`: whatever stands there is secret. */
export function isSecretKey(key: string, value: string): boolean {
  if (!namesSecret(key)) return false;
  const folded = foldName(key);
  // `token: "USDC"` names a coin; nothing that short or with spaces protects anything.
  return (
    !/(?:token|cookie|bearer|authorization)$|^(?:pat|pin|otp)$/.test(folded) ||
    /^\S{8,}$|^\d{4,8}$|;|=/.test(value)
  );
}

/** Whether a key alone says that its value is secret, whatever that value is. */
export function namesSecret(key: string): boolean {
  const folded = foldName(key);
  return KEY.test(folded) && !KEY_OF_NO_SECRET.test(folded);
}

/** A long word that looks drawn by lot, where no id or content is expected. */
export function isRandomWord(value: string, key: string | undefined): boolean {
  if (!/^[A-Za-z0-9+/_=-]{32,}$/.test(value) || (key !== undefined && KEY_OF_RANDOM.test(foldName(key))))
    return false;
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
  return isMixed && entropyOf(value) > 4;
}

/** Shannon entropy in bits a character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
