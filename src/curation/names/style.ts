import type { NamingStyle } from './nameable.ts';

const MAX_NAMES = 5000;

/** Reads the style of names that exist: the separator most of them use, and their namespaces. */
export function namingStyleOf(existingNames: readonly string[]): NamingStyle {
  let [underscores, hyphens] = [0, 0];
  const namespaces = new Map<string, number>();
  for (const name of existingNames.slice(0, MAX_NAMES)) {
    // An automatic name says nothing about how people write names.
    if (name.startsWith('unnamed_')) continue;
    const colon = name.indexOf(':');
    const action = name.slice(colon + 1);
    if (action.includes('_')) underscores += 1;
    if (action.includes('-')) hyphens += 1;
    if (colon > 0) namespaces.set(name.slice(0, colon), (namespaces.get(name.slice(0, colon)) ?? 0) + 1);
  }
  const byUse = [...namespaces].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return { separator: hyphens > underscores ? '-' : '_', namespaces: byUse.map(([namespace]) => namespace) };
}
