import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, PmlError } from '../errors.ts';

/** What PML keeps in its home that holds what runs did, or lets others sign in its name. */
const OWN_FOLDERS = ['db', 'keys', 'log', 'trusted-configs'];
/** Every home has it from its first start on. */
export const LOCK_FILE = 'lock';

/** Makes the folder if it is missing, for its owner alone, and closes one that is open to others. Says what it closed. */
export function makeHome(home: string): string[] {
  try {
    makeFolder(home);
    return process.platform === 'win32' ? [] : closeToOthers(home);
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
 * Nobody but its owner may write to a home, nor read what PML keeps there. A folder that holds other things too keeps its
 * mode, unless everybody may write to it: then nothing in it is safe.
 */
function closeToOthers(home: string): string[] {
  const { uid, mode } = statSync(home);
  const entries = readdirSync(home);
  const isPmls = entries.includes(LOCK_FILE) || entries.every((name) => OWN_FOLDERS.includes(name));
  const mayClose = uid === process.geteuid?.() && isPmls;
  if (!mayClose && (mode & 0o002) !== 0) throw open(home);
  const closed = mayClose && close(home, 0o022) ? [home] : [];
  return [...closed, ...foldersOf(home).filter((path) => close(path, 0o077))];
}

/** The folders that are there. One of another user's was put there by that user. */
function foldersOf(home: string): string[] {
  const folders = OWN_FOLDERS.map((name) => join(home, name)).filter((path) => existsSync(path));
  for (const path of folders) {
    if (statSync(path).uid === process.geteuid?.()) continue;
    throw new PmlError('home_unusable', `PML cannot use ${path}: it belongs to another user.`, {
      hint: 'Find out who made it, and remove it.',
    });
  }
  return folders;
}

function close(path: string, bits: number): boolean {
  if ((statSync(path).mode & bits) === 0) return false;
  chmodSync(path, 0o700);
  return true;
}

function open(home: string): PmlError {
  return new PmlError('home_unusable', `PML cannot use ${home}: everybody may write to it.`, {
    hint: 'Set PML_HOME to a folder of your own, such as one inside of it.',
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
