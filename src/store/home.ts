import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, PmlError } from '../errors.ts';

/**
 * Makes the folder if it is missing, for its owner alone. One that exists keeps its mode: PML_HOME may name a
 * folder that holds other things too.
 */
export function makeHome(home: string): void {
  try {
    makeFolder(home);
  } catch (error) {
    throw homeUnusable(home, error);
  }
}

export function homeUnusable(path: string, error: unknown): PmlError {
  return new PmlError('home_unusable', `PML cannot use ${path}: ${messageOf(error)}`, {
    hint: 'PML_HOME must name a folder on a local disk with free space, which you may write to.',
    cause: error,
  });
}

/** With the folders above it. Node's own way of doing so never returns where the system answers ENOENT, as in /proc. */
function makeFolder(path: string): void {
  if (isFolder(path)) return;
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
