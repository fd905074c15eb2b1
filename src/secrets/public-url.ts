import { HIDDEN } from './json-secrets.ts';

/** Shorter parts of a path are words and versions. */
const MIN_RANDOM = 8;
/** Shorter values of variables occur in any address by chance. */
const MIN_KNOWN = 4;

/**
 * Returns a server's address as everyone may see it: origin and path, without user and query. Hides what came from a
 * variable and what looks random, since many servers identify their users by the path alone.
 */
export function publicUrl(address: string, known: readonly string[]): string {
  const url = URL.parse(address);
  if (!url) return HIDDEN;
  const secrets = known.filter(({ length }) => length >= MIN_KNOWN);
  const masked = (text: string) =>
    secrets.reduce(
      (rest, secret) => rest.replaceAll(encodeURI(secret.toWellFormed()), HIDDEN).replaceAll(secret, HIDDEN),
      text,
    );
  const part = (text: string) => (text.includes(HIDDEN) || isRandom(text) ? HIDDEN : text);
  return `${url.protocol}//${masked(url.host)}${masked(url.pathname).split('/').map(part).join('/')}`;
}

/** Finds the parts of an address that are secret by themselves: a user without a password, and random parts of the path. */
export function secretUrlParts(address: string): string[] {
  const url = URL.parse(address);
  if (!url) return [];
  const user = url.password === '' && url.username.length >= MIN_RANDOM ? [url.username] : [];
  return [...user, ...url.pathname.split('/').filter(isRandom)];
}

/** True for a random part of a path: `9cfb482a-81e3-4154-b5b9-2c805e70a02d`, but not `mcp-server-2` or `v1beta1`. */
function isRandom(part: string): boolean {
  return part.split(/[-_.~=:]/).some((word) => {
    if (word.length < MIN_RANDOM) return false;
    if (/^\d+$/.test(word)) return word.length > 11;
    // A word may end in a number; a mixture of letters and digits is no word.
    if (/\d/.test(word)) return !/^[A-Za-z]+\d{1,4}$/.test(word);
    return word.length > 23 || [...word.matchAll(/[a-z][A-Z]/g)].length > 3;
  });
}
