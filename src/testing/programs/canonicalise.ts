import { canonicalise as rewrite } from '../../code/testing.ts';

/** The plain steps that a program is rewritten to; undefined if the reader does not follow it. */
export function canonicalise(source: string): { readonly code: string } | undefined {
  return rewrite(source, { nameOf: (name) => name, isReadOnly: () => true });
}
