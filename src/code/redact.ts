import type { Json } from './json.ts';
import { namesSecret, withoutSecrets } from './secrets.ts';

export const HIDDEN = '[hidden]';

/** Shorter ones stand in too many texts by chance. */
const SHORTEST = 4;
/** Keys are words; a secret that may be one of them too is looked for in values alone. */
const SHORTEST_IN_KEYS = 12;

/** The texts that stand under keys like `token`, `password`, `authorization`. */
export function secretsIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(secretsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => (namesSecret(key) ? textsIn(one) : secretsIn(one)));
}

/**
 * A value without secrets, for what is stored: whatever stands under a key that names a secret, the texts that are known to
 * be secret wherever they stand, and what has the shape of one. Rather too much is hidden than too little. What is hidden
 * once stays as it is when it is hidden again.
 */
export function redact(value: Json, secrets: readonly string[]): Json {
  if (typeof value === 'string') return redactText(value, secrets);
  if (Array.isArray(value)) return value.map((one) => redact(one, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      redactText(key, secrets, SHORTEST_IN_KEYS),
      namesSecret(key) ? hideAll(one) : redact(one, secrets),
    ]),
  );
}

function redactText(text: string, secrets: readonly string[], shortest = SHORTEST): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= shortest && !HIDDEN.includes(secret)) clean = clean.replaceAll(secret, HIDDEN);
  }
  return withoutSecrets(clean);
}

/** Flags and nothings tell nothing. */
function hideAll(value: Json): Json {
  if (Array.isArray(value)) return value.map(hideAll);
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object') return HIDDEN;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hideAll(one)]));
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return value === HIDDEN ? [] : [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
