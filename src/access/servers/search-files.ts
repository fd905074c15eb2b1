import path from 'node:path';
import type { ContainedFolders } from './contained-folders.ts';
import { type FolderEntry, readEntries } from './file-operations.ts';

const MAX_VISITED = 20_000;
const MAX_FOUND = 500;
const MAX_DEPTH = 30;

export interface FoundFiles {
  files: string[];
  /** False if the search ended at a limit before it had seen everything. */
  complete: boolean;
}

/** Finds files and folders below a folder by their names: a part of the name, or a pattern with `*`. Follows no links. */
export async function searchFiles(
  folders: ContainedFolders,
  start: string,
  pattern: string,
): Promise<FoundFiles> {
  const matches = nameMatcher(pattern);
  const { root, parts } = await folders.locate(start);
  const base = path.join(root, ...parts);
  const files: string[] = [];
  const waiting = [{ folder: base, depth: 0 }];
  let complete = true;
  for (let visited = 0; waiting.length > 0; ) {
    const { folder, depth } = waiting.shift() as { folder: string; depth: number };
    const entries = await entriesOf(folders, folder, folder === base);
    for (const entry of entries) {
      visited += 1;
      if (matches(entry.name)) files.push(path.join(folder, entry.name));
      if (files.length >= MAX_FOUND || visited >= MAX_VISITED) return { files, complete: false };
      if (entry.type !== 'folder') continue;
      if (depth < MAX_DEPTH) waiting.push({ folder: path.join(folder, entry.name), depth: depth + 1 });
      else complete = false;
    }
  }
  return { files, complete };
}

async function entriesOf(
  folders: ContainedFolders,
  folder: string,
  isStart: boolean,
): Promise<FolderEntry[]> {
  try {
    return (await readEntries(folders, folder, MAX_VISITED)).entries;
  } catch (error) {
    // A folder that cannot be read, or is gone by now, does not end the search.
    if (isStart) throw error;
    return [];
  }
}

/** Compares names without regard to case. A pattern without `*` may be any part of the name. */
export function nameMatcher(pattern: string): (name: string) => boolean {
  const wanted = pattern.toLowerCase();
  if (!wanted.includes('*')) return (name) => name.toLowerCase().includes(wanted);
  const pieces = wanted.split('*');
  const [first, last] = [pieces[0] as string, pieces.at(-1) as string];
  const middle = pieces.slice(1, -1);
  return (given) => {
    const name = given.toLowerCase();
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
      return false;
    let at = first.length;
    // Each piece is taken at its first place, which leaves the most room for the others.
    for (const piece of middle) {
      const found = name.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return at <= name.length - last.length;
  };
}
