/** The text that a program is reduced to, or undefined if the reader gives up. The differential test holds it to the runs. */
export function canonicalise(_source: string): { readonly code: string } | undefined {
  return undefined;
}
