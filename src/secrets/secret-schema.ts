import type { JsonSchema } from '../json.ts';

/** The part of a schema that tells whether its values are secret. */
export type SecretHints = JsonSchema;

/** A description that begins with the name of a secret: `The API key of the project`. */
const SUBJECT =
  /^(?:(?:the|your|a|an|user|user's|users|account|client|valid|optional|required|new|old|current|admin|database|smtp|existing)\s){0,4}(?:(?:api|access|auth|authentication|authorization|bearer|secret|session|private|security|personal access|oauth2?|refresh|bot) (?:token|key|secret)\b|api ?key\b|password\b|passcode\b|passphrase\b|pin (?:code|number)\b|pin[.,]?$|one[- ]time (?:password|code|pin)\b|otp\b|cvv2?\b|cvc2?\b|(?:card )?(?:verification|security) (?:number|code|value)\b|(?:credit |debit )?card number\b|(?:confirmation|authentication|2fa|mfa|two-factor|sms) code\b|client secret\b|social security number\b)/i;
/** The value is only about a secret: `API key ID`, `The password's environment variable`. */
const ABOUT =
  /\b(?:names?|ids?|identifiers?|identifies|types?|env|environment|variable|whether|uuid|policy|length|format|file|path|url)\b/i;
const NAME_OF_SECRET = /\b(?:name|id|identifier|address|symbol|ticker|pagination)\b/i;
const MAX_DESCRIPTION = 300;

/** True if the schema makes its value secret: by format, as write-only, or because the description says so. */
export function isSecretSchema({ format, writeOnly, description }: SecretHints): boolean {
  if (format === 'password' || writeOnly === true) return true;
  const clause = firstClause(description);
  return SUBJECT.test(clause) && !ABOUT.test(clause);
}

/** Finds `The token's name`, but not `the name of your API token`: no "API" may follow the word in its line. */
export function describesNameOfSecret({ description }: SecretHints): boolean {
  const lines = textOf(description).split(/[\n\r\u2028\u2029]/);
  return lines.some((line) => NAME_OF_SECRET.test(line.split(/\bAPI\b/i).at(-1) ?? ''));
}

/** True for a key that may hold the name of a secret instead of the secret itself. */
export function mayNameSecret(key: string): boolean {
  return /(?:secret|token|key|credentials?)$/i.test(key.slice(-100).replace(/[^A-Za-z]/g, ''));
}

function firstClause(description: unknown): string {
  return (textOf(description).split(/[.;(\n]/, 1)[0] ?? '').trim().slice(0, 100);
}

function textOf(description: unknown): string {
  return typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION) : '';
}
