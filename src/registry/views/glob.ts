/** Translates a glob (`*` any text, `?` one character) to a LIKE pattern; all else is matched literally. */
export function likePattern(glob: string): string {
  return glob
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_');
}
