import { hasIssuedSecret } from './find-secrets.ts';

const WORD =
  /(?:^|[_-])(?:auth|authorization|credentials?|cookie|dsn|key|pass|passphrase|passwd|pat|pwd)(?:$|[_-])/i;
const PART = /(?:api|access|private|secret)key|password|secret|token(?!s)/i;
const PREFIX = /^(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abps]|AKIA|AIza|npm)[-_A-Za-z0-9]{12,}$/;

/**
 * Whether a variable, header or parameter of a config, by its name or by its value, is one that people keep to themselves.
 * Stricter than what is said of data: such a value is secret by where it stands, and only how it is used is in doubt.
 */
export function isSecretSetting(name: string, value: string): boolean {
  // Settings that merely sound like it: MAX_TOKEN=4096, REQUIRE_AUTH=true.
  if (value.length < 6 || /^[\d.]+$/.test(value)) return false;
  if (WORD.test(name) || PART.test(name)) return true;
  return tokenAfterScheme(value) !== undefined || PREFIX.test(value) || hasIssuedSecret(value);
}

/** What a header holds after its scheme: a server may well repeat it without. */
export function tokenAfterScheme(value: string): string | undefined {
  return /^(?:bearer|basic|token)\s+(\S{4,})$/i.exec(value)?.[1];
}
