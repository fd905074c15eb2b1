// Plain JavaScript: see connect-daemon.js.
import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A longer path does not fit in a socket address. */
const MAX_SOCKET_PATH = 100;

/** @param {string} home */
export function socketPathOf(home) {
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\pml-${hash}`;
  const path = join(home, 'daemon.sock');
  return path.length <= MAX_SOCKET_PATH ? path : join(tmpdir(), `pml-${hash}`, 'daemon.sock');
}

/**
 * Returns why the socket may be another user's; undefined if it is ours or not there. A client sends its whole environment
 * to whoever listens. The socket of a home with a long path lies in the temporary folder, where any user may have created a
 * folder of that name first.
 * @param {string} home
 * @param {string} path
 * @returns {string | undefined}
 */
export function ownershipProblem(home, path) {
  if (process.platform === 'win32') return undefined;
  const folder = dirname(path);
  if (folder !== home) {
    const found = entryAt(folder);
    if (!found) return undefined;
    if (!found.isDirectory()) return `${folder} is not a folder`;
    if (found.uid !== process.geteuid?.()) return `${folder} belongs to another user`;
    if ((found.mode & 0o077) !== 0) return `${folder} is open to other users`;
  }
  const socket = entryAt(path);
  if (!socket) return undefined;
  if (socket.uid !== process.geteuid?.()) return `${path} belongs to another user`;
  // Nobody can listen on a plain file, but a link may lead to another user's socket.
  return socket.isSymbolicLink() ? `${path} is a link` : undefined;
}

/**
 * Looks at a path without following links. A path that cannot be looked at cannot be connected to either, and the start of
 * the daemon reports why.
 * @param {string} path
 */
function entryAt(path) {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Returns what to do about an ownership problem.
 * @param {string} home
 * @param {string} path
 */
export function ownershipAdvice(home, path) {
  const [what, other] = dirname(path) === home ? [path, 'another folder'] : [dirname(path), 'a shorter path'];
  return `Find out who made it. Then remove ${what}, or set PML_HOME to ${other}.`;
}
