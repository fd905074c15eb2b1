// Plain JavaScript: `pml serve` uses it, on any Node ≥ 20.
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { homeOf, untilde, userHomeOf } from './home.js';

/** @typedef {import('./home.js').Env} Env */

/**
 * Returns the config file of a folder: the named one, whether it is there or not, else the nearest upwards, else the home's.
 * @param {string} cwd
 * @param {Env} env
 * @param {string | undefined} named
 * @returns {string | undefined}
 */
export function configFileOf(cwd, env, named) {
  if (named !== undefined) return resolve(cwd, untilde(named, userHomeOf(env)));
  const home = join(homeOf(env, cwd), 'pml.json');
  return nearestFile(cwd) ?? (isFile(home) ? home : undefined);
}

/**
 * Finds the pml.json of this folder, or of the nearest folder above it that has one.
 * @param {string} cwd
 * @returns {string | undefined}
 */
export function nearestFile(cwd) {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const file = join(folder, 'pml.json');
    if (isFile(file)) return file;
    if (dirname(folder) === folder) return undefined;
  }
}

/** @param {string} file */
export function isFile(file) {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}
