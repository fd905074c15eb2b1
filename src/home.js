// Plain JavaScript: `pml serve` uses it, on any Node ≥ 20.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** @typedef {Record<string, string | undefined>} Env */

/**
 * Returns the user's home folder.
 * @param {Env} env
 */
export function userHomeOf(env) {
  // Git's shell on Windows sets HOME to a path that Windows does not know.
  return env[process.platform === 'win32' ? 'USERPROFILE' : 'HOME']?.trim() || accountHome();
}

/** The account's home folder; a path that does not exist if the account has none, as in some containers. */
function accountHome() {
  try {
    return homedir();
  } catch {
    return '/nonexistent';
  }
}

/**
 * Replaces a leading `~` by the user's home folder.
 * @param {string} path
 * @param {string} userHome
 */
export function untilde(path, userHome) {
  return path === '~' || /^~[/\\]/.test(path) ? join(userHome, path.slice(1)) : path;
}

/**
 * Returns `PML_HOME`, where PML keeps its database, socket, keys and log.
 * @param {Env} env
 * @param {string} [cwd]
 */
export function homeOf(env, cwd = process.cwd()) {
  return resolve(cwd, untilde(env.PML_HOME?.trim() || '~/.pml', userHomeOf(env)));
}
