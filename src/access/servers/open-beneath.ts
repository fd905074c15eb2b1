import { constants as flags } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import path from 'node:path';

/** A path below a folder: the folder, without links, and the names that lead down from it. */
export interface Place {
  root: string;
  parts: readonly string[];
}

/** An open file or folder. On Linux, `path` leads to what is open, even after its name was given to something else. */
export interface OpenFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly path: string;
}

/** macOS: refuse links anywhere in the path. */
const O_NOFOLLOW_ANY = 0x20000000;
/** A pipe without a writer would block for ever. */
const SAFE = flags.O_NOFOLLOW | flags.O_NONBLOCK;

/**
 * Opens a place without following any link, so that a link swapped in after the path was checked is refused (ELOOP or
 * ENOTDIR). On Linux each folder is opened through the open one above it, which stays the same when its name is reused.
 */
export async function openBeneath({ root, parts }: Place, mode: number): Promise<OpenFile> {
  if (process.platform === 'darwin') {
    const file = path.join(root, ...parts);
    return opened(await open(file, mode | flags.O_NONBLOCK | O_NOFOLLOW_ANY, FILE_MODE), root, parts);
  }
  if (process.platform !== 'linux') return openAndCompare({ root, parts }, mode);
  let at = await open(
    root,
    (parts.length === 0 ? mode : flags.O_RDONLY) | flags.O_DIRECTORY | SAFE,
    FILE_MODE,
  );
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    try {
      const next = await open(
        `/proc/self/fd/${at.fd}/${part}`,
        (isLast ? mode : flags.O_RDONLY | flags.O_DIRECTORY) | SAFE,
        FILE_MODE,
      );
      await at.close();
      at = next;
    } catch (error) {
      await at.close();
      throw error;
    }
  }
  return opened(at, root, parts);
}

const FILE_MODE = 0o666;

function opened(handle: FileHandle, root: string, parts: readonly string[]): OpenFile {
  return {
    handle,
    path: process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path.join(root, ...parts),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** For systems that cannot refuse links: opens the path, then checks that it has no link in it. */
async function openAndCompare({ root, parts }: Place, mode: number): Promise<OpenFile> {
  const file = path.join(root, ...parts);
  const handle = await open(file, mode | (flags.O_NOFOLLOW ?? 0), FILE_MODE);
  if ((await realpath(file)) === file) return opened(handle, root, parts);
  await handle.close();
  throw Object.assign(new Error('a link is in the path'), { code: 'ELOOP' });
}
