import { statSync } from 'node:fs';
import path from 'node:path';
import { homeOf, untilde, userHomeOf } from '../home.js';
import type { Env } from './expand-variables.ts';
import { invalid, isFile } from './read-files.ts';
import { realFolder } from './trust-store.ts';

export interface FoundFile {
  file: string;
  /** A person named this file, or keeps it in PML_HOME. Otherwise it was only found in a folder above. */
  chosen: boolean;
}

/** Finds the config file: the named one, else the nearest upwards, else the home's. */
export function findFile(
  cwd: string,
  env: Env,
  named: string | undefined,
  source: string,
): FoundFile | undefined {
  if (named !== undefined) {
    const file = path.resolve(cwd, untilde(named, userHomeOf(env)));
    if (!exists(file)) throw invalid(`${source}: no such file: ${file}`);
    return { file, chosen: true };
  }
  const home = path.join(homeOf(env, cwd), 'pml.json');
  const file = nearestFile(cwd);
  if (file !== undefined) return { file, chosen: realFolder(file) === realFolder(home) };
  return isFile(home) ? { file: home, chosen: true } : undefined;
}

/** Finds the pml.json of this folder, or of the nearest folder above it that has one. */
export function nearestFile(cwd: string): string | undefined {
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    const file = path.join(folder, 'pml.json');
    if (isFile(file)) return file;
    if (path.dirname(folder) === folder) return undefined;
  }
}

function exists(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
