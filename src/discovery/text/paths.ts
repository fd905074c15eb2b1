const PATH = /(?<![^\s"'(])(?:[~.]{0,2}\/|[A-Za-z]:\\)[^\s"'<>]{1,300}/g;
const SEPARATOR = /[\\/]/;

/**
 * Cuts each path to its last part. Folders say where something is: a copy and a deletion under `/home/ana/notes` have
 * no more in common than any others.
 */
export function shortenPaths(text: string): string {
  return text.replace(PATH, (path) => path.split(SEPARATOR).findLast((part) => part !== '') ?? '');
}
