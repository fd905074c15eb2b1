import { mkdirSync } from 'node:fs';
import { messageOf, PmlError } from '../errors.ts';

/**
 * Makes the folder if it is missing, for its owner alone. One that exists keeps its mode: PML_HOME may name a
 * folder that holds other things too.
 */
export function makeHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
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
