import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, PmlError } from '../errors.ts';

/** The folders in PML's home that hold records of runs, keys or trust decisions. */
const PRIVATE_FOLDERS = ['db', 'keys', 'log', 'starts', 'trusted-configs'];
/** Exists in every home from its first start on. */
export const LOCK_FILE = 'lock';

/**
 * Makes the home if it is missing, for its owner alone, and restricts what others may access in an existing one. Returns
 * the folders that it restricted.
 */
export function makeHome(home: string): string[] {
  try {
    makeFolder(home);
    return process.platform === 'win32' ? [] : restrictAccess(home);
  } catch (error) {
    throw error instanceof PmlError ? error : homeUnusable(home, error);
  }
}

export function homeUnusable(path: string, error: unknown): PmlError {
  return new PmlError('home_unusable', `PML cannot use ${path}: ${messageOf(error)}`, {
    hint: 'PML_HOME must name a folder on a local disk with free space, which you may write to.',
    cause: error,
  });
}

/**
 * Only its owner may write to a home, and read PML's folders in it. A home that also holds other things keeps its mode;
 * if everybody may write to it, nothing in it is safe, and it is refused.
 */
function restrictAccess(home: string): string[] {
  const { uid, mode } = statSync(home);
  const entries = readdirSync(home);
  const isPmls = entries.includes(LOCK_FILE) || entries.every((name) => PRIVATE_FOLDERS.includes(name));
  const mayRestrict = uid === process.geteuid?.() && isPmls;
  if (!mayRestrict && (mode & 0o002) !== 0) throw worldWritable(home);
  const restricted = mayRestrict && restrict(home, 0o022) ? [home] : [];
  return [...restricted, ...privateFoldersIn(home).filter((path) => restrict(path, 0o077))];
}

/** Returns the private folders that exist. Refuses one that another user made. */
function privateFoldersIn(home: string): string[] {
  const folders = PRIVATE_FOLDERS.map((name) => join(home, name)).filter((path) => existsSync(path));
  for (const path of folders) {
    if (statSync(path).uid === process.geteuid?.()) continue;
    throw new PmlError('home_unusable', `PML cannot use ${path}: it belongs to another user.`, {
      hint: 'Find out who made it, and remove it.',
    });
  }
  return folders;
}

/** Makes a folder the owner's alone if others have one of these permissions. Returns whether it did. */
function restrict(path: string, bits: number): boolean {
  if ((statSync(path).mode & bits) === 0) return false;
  chmodSync(path, 0o700);
  return true;
}

function worldWritable(home: string): PmlError {
  return new PmlError('home_unusable', `PML cannot use ${home}: everybody may write to it.`, {
    hint: 'Set PML_HOME to a folder of your own, such as one inside of it.',
  });
}

/** Makes a folder and those above it. Node's recursive mkdir never returns if the system answers ENOENT, as in /proc. */
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
