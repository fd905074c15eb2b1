import { canonicalise as rewrite } from '../../code/testing.ts';

/** The plain steps that a program is rewritten to; undefined if the reader does not follow it. */
export function canonicalise(source: string): { readonly code: string } | undefined {
  const code = rewrite(source, { nameOf: (name) => name });
  return code === undefined ? undefined : { code };
}
