import { hasIssuedSecret } from './find-secrets.ts';

const WORD =
  /(?:^|[_-])(?:auth|authorization|credentials?|cookie|dsn|key|pass|passphrase|passwd|pat|pwd)(?:$|[_-])/i;
const PART = /(?:api|access|private|secret)key|password|secret|token(?!s)/i;
const PREFIX = /^(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abps]|AKIA|AIza|npm)[-_A-Za-z0-9]{12,}$/;

/**
 * True if a variable, header or parameter of a config is secret, by its name or by its value. Stricter than the rules for
 * data: settings are where people put their secrets, so doubt counts against the value.
 */
export function isSecretSetting(name: string, value: string): boolean {
  // Some settings only sound secret: MAX_TOKEN=4096, REQUIRE_AUTH=true.
  if (value.length < 6 || /^[\d.]+$/.test(value)) return false;
  if (WORD.test(name) || PART.test(name)) return true;
  return tokenAfterScheme(value) !== undefined || PREFIX.test(value) || hasIssuedSecret(value);
}

/** Returns the token after the scheme of a header: a server may repeat it without the scheme. */
export function tokenAfterScheme(value: string): string | undefined {
  return /^(?:bearer|basic|token)\s+(\S{4,})$/i.exec(value)?.[1];
}
