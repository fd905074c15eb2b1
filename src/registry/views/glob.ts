/** A glob (`*` any text, `?` one character) as a LIKE pattern; everything else stands for itself. */
export function likePattern(glob: string): string {
  return glob
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_');
}
