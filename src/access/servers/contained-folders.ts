import { constants as flags, realpathSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import path from 'node:path';
import { PmlError } from '../../errors.ts';
import { type OpenFile, openBeneath, type Place } from './open-beneath.ts';

/** Far more links than any path needs; a loop of links ends here. */
const MAX_LINKS = 40;
const MAX_PATH = 4096;

interface Root {
  /** As the config names it. */
  named: string;
  /** Without links, as of the start. */
  real: string;
}

/** Some folders of the disk. Nothing outside can be reached by `..` or by links, even links swapped in meanwhile. */
export class ContainedFolders {
  readonly #roots: readonly Root[];
  /** Paths that cannot be reached even within the folders. */
  readonly #except: readonly string[];

  constructor(folders: readonly string[], except: readonly string[] = []) {
    this.#except = except.flatMap((one) => [one, realPathOf(one)]);
    this.#roots = folders.map((folder) => ({ named: folder, real: realPathOf(folder) }));
  }

  get folders(): string[] {
    return this.#roots.map(({ named }) => named);
  }

  /** Opens what a path means. Relative paths start at the first folder. */
  async open(given: string, mode: number = flags.O_RDONLY): Promise<OpenFile> {
    return this.#reach(given, async () => openBeneath(await this.locate(given), mode));
  }

  /** Opens the folder that holds a path, and returns the path's own name in it. */
  async openParent(given: string): Promise<{ folder: OpenFile; name: string }> {
    const { root, parts } = await this.locate(given);
    const name = parts.at(-1);
    if (name === undefined)
      throw new PmlError('not_allowed', `${shownPath(given)} is one of the folders itself.`);
    const folder = await this.#reach(given, () =>
      openBeneath({ root, parts: parts.slice(0, -1) }, flags.O_RDONLY | flags.O_DIRECTORY),
    );
    return { folder, name };
  }

  /** Resolves the links of a path by their text alone, so that nothing outside the folders is even looked at. */
  async locate(given: string): Promise<Place> {
    if (given.length > MAX_PATH || given.includes('\0'))
      throw new PmlError('invalid_arguments', 'This is not a path.');
    const [first] = this.#roots;
    let { root, parts } = this.#within(path.resolve(first?.real ?? '/', given), given);
    let done: string[] = [];
    for (let links = 0; parts.length > 0; ) {
      const [part, ...rest] = parts as [string, ...string[]];
      const target = await linkTarget(path.join(root, ...done, part));
      if (target === undefined) {
        done.push(part);
        parts = rest;
        continue;
      }
      links += 1;
      if (links > MAX_LINKS) throw outside(given, this.folders);
      const next = this.#within(path.resolve(root, ...done, target), given);
      ({ root } = next);
      parts = [...next.parts, ...rest];
      done = [];
    }
    const found = path.join(root, ...done);
    if (this.#except.some((one) => isWithin(one, found))) throw outside(given, this.folders);
    return { root, parts: done };
  }

  /** Refuses to move a folder that holds what cannot be reached: it could be reached afterwards. */
  async assertMovable(given: string): Promise<void> {
    const { root, parts } = await this.locate(given);
    const found = path.join(root, ...parts);
    if (this.#except.some((one) => isWithin(found, one))) throw outside(given, this.folders);
  }

  #within(absolute: string, given: string): Place {
    for (const { named, real } of this.#roots) {
      for (const folder of [real, named]) {
        if (!isWithin(folder, absolute)) continue;
        const relative = path.relative(folder, absolute);
        return { root: real, parts: relative === '' ? [] : relative.split(path.sep) };
      }
    }
    throw outside(given, this.folders);
  }

  /** Names the path in failures as it was given, and reports a link that was swapped in as outside the folders. */
  async #reach<T>(given: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw pathError(error, given, this.folders);
    }
  }
}

/** Turns a failure of the file system into one that the caller can act on. */
export function pathError(error: unknown, given: string, folders: readonly string[]): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof PmlError || typeof code !== 'string') return error;
  if (code === 'ELOOP' || code === 'EMLINK') return outside(given, folders);
  return new PmlError('tool_failed', `${shownPath(given)}: ${FAILURES[code] ?? `cannot be used (${code})`}`);
}

const FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'is a folder',
  EEXIST: 'is there already',
  EACCES: 'the system does not permit it',
  EPERM: 'the system does not permit it',
  ENOSPC: 'the disk is full',
  EXDEV: 'is on another disk',
  ENOTEMPTY: 'is a folder that is not empty',
  ENAMETOOLONG: 'the name is too long',
};

/** True if a path is the folder or below it. */
function isWithin(folder: string, absolute: string): boolean {
  const relative = path.relative(folder, absolute);
  return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
}

function outside(given: string, folders: readonly string[]): PmlError {
  return new PmlError(
    'not_allowed',
    `${shownPath(given)} is outside the folders that can be reached: ${folders.join(', ')}`,
  );
}

export function shownPath(given: string): string {
  return given.length > 300 ? `${given.slice(0, 300)}…` : given;
}

/** Returns where a link points, as it is written; undefined if there is no link. */
async function linkTarget(file: string): Promise<string | undefined> {
  try {
    return await readlink(file);
  } catch {
    // No link, or nothing at all: opening it tells which.
    return undefined;
  }
}

function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // The folder may be made later.
    return folder;
  }
}
