import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { homeUnusable, LOCK_FILE, makeHome } from './make-home.ts';

export interface FileLock {
  release(): void;
}

export interface HomeLock extends FileLock {
  /** The folders that other users could access until now. */
  readonly restrictedFolders: readonly string[];
}

const SQLITE_BUSY = 5;

// Garbage collection of the object would release its lock, so the process keeps every one it holds.
const held = new Set<DatabaseSync>();

/** Makes this process the owner of the home until it ends, or returns null if another process owns it. */
export function lockHome(home: string): HomeLock | null {
  const restrictedFolders = makeHome(home);
  const lock = lockFile(join(home, LOCK_FILE));
  return lock && { ...lock, restrictedFolders };
}

/**
 * Locks a file as SQLite does. The kernel frees the lock however the process dies, so there is never a stale one. The
 * owner must not open the file by other means: closing any handle of a file drops the process's locks on it.
 */
export function lockFile(path: string): FileLock | null {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('pragma locking_mode=exclusive; begin exclusive');
  } catch (error) {
    database?.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw homeUnusable(path, reasonOf(path, error));
  }
  const lock = database;
  held.add(lock);
  return {
    release() {
      if (held.delete(lock)) lock.close();
    },
  };
}

/** SQLite says only "unable to open database file"; the system says why. */
function reasonOf(path: string, error: unknown): unknown {
  try {
    closeSync(openSync(path, 'a', 0o600));
    return error;
  } catch (systemError) {
    return systemError;
  }
}
