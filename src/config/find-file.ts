import { statSync } from 'node:fs';
import path from 'node:path';
import { configFileOf } from '../config-file.js';
import { homeOf } from '../home.js';
import type { Env } from './expand-variables.ts';
import { invalid } from './read-files.ts';
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
    const file = configFileOf(cwd, env, named);
    if (file === undefined || !exists(file)) throw invalid(`${source}: no such file: ${file}`);
    return { file, chosen: true };
  }
  const file = configFileOf(cwd, env, undefined);
  if (file === undefined) return undefined;
  return { file, chosen: realFolder(file) === realFolder(path.join(homeOf(env, cwd), 'pml.json')) };
}

function exists(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
