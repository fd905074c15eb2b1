import { HIDDEN } from './json-secrets.ts';

/** Shorter parts of a path are words and versions. */
const SHORTEST_RANDOM = 8;
/** Shorter values of variables stand in any address by chance. */
const SHORTEST_KNOWN = 4;

/**
 * A server's address as everyone may see it: origin and path, without user and query. What came from a variable, and what
 * looks drawn by lot, is hidden: many servers know their users by nothing else than the path.
 */
export function publicUrl(address: string, known: readonly string[]): string {
  const url = URL.parse(address);
  if (!url) return HIDDEN;
  const secrets = known.filter(({ length }) => length >= SHORTEST_KNOWN);
  const masked = (text: string) =>
    secrets.reduce(
      (rest, secret) => rest.replaceAll(encodeURI(secret.toWellFormed()), HIDDEN).replaceAll(secret, HIDDEN),
      text,
    );
  const part = (text: string) => (text.includes(HIDDEN) || isRandom(text) ? HIDDEN : text);
  return `${url.protocol}//${masked(url.host)}${masked(url.pathname).split('/').map(part).join('/')}`;
}

/** What of an address is secret by itself: a user without a password, and what looks drawn by lot. */
export function secretUrlParts(address: string): string[] {
  const url = URL.parse(address);
  if (!url) return [];
  const user = url.password === '' && url.username.length >= SHORTEST_RANDOM ? [url.username] : [];
  return [...user, ...url.pathname.split('/').filter(isRandom)];
}

/** Whether a part of a path is no word: `9cfb482a-81e3-4154-b5b9-2c805e70a02d`, and not `mcp-server-2` or `v1beta1`. */
function isRandom(part: string): boolean {
  return part.split(/[-_.~=:]/).some((word) => {
    if (word.length < SHORTEST_RANDOM) return false;
    if (/^\d+$/.test(word)) return word.length > 11;
    // A word with a number behind it is a word; letters and digits among each other are none.
    if (/\d/.test(word)) return !/^[A-Za-z]+\d{1,4}$/.test(word);
    return word.length > 23 || [...word.matchAll(/[a-z][A-Z]/g)].length > 3;
  });
}
