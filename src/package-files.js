// Plain JavaScript: `pml serve` needs it, on any Node ≥ 20. The build keeps it a file of its own, directly in dist/.
import { basename } from 'node:path';

const IS_BUILT = basename(import.meta.dirname) === 'dist';

/**
 * Returns the URL of a file of the package, by its path from the package's folder.
 * @param {string} path
 */
export function packageFile(path) {
  return new URL(`../${path}`, import.meta.url);
}

/**
 * Returns the URL of a file that only the built package has, by its path from dist/; undefined in a checkout. A checkout may
 * have a dist/, too, while it is packed, but that is gone a moment later.
 * @param {string} path
 */
export function builtFile(path) {
  return IS_BUILT ? new URL(`./${path}`, import.meta.url) : undefined;
}

/**
 * Returns the URL of a source file, by its path from src/; once built, that of the JavaScript made of it. Code that is
 * bundled does not know where it is, so it names other files by this.
 * @param {string} path
 */
export function sourceFile(path) {
  return new URL(`./${IS_BUILT ? path.replace(/\.ts$/, '.js') : path}`, import.meta.url);
}
