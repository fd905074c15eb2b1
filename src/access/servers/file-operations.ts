import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { constants as flags } from 'node:fs';
import { lstat, mkdir, open, opendir, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PmlError } from '../../errors.ts';
import { type ContainedFolders, pathError, shownPath } from './contained-folders.ts';
import type { OpenFile } from './open-beneath.ts';

/** The most that one call reads, and the largest file that is written. */
export const MAX_FILE_BYTES = 1024 * 1024;
const MAX_ENTRIES = 2000;

const DRAFT = flags.O_WRONLY | flags.O_CREAT | flags.O_EXCL | flags.O_NOFOLLOW;

/** Which lines of a file to read. */
export interface LineRange {
  head?: number | undefined;
  tail?: number | undefined;
}

/** Reads a text file, or its first or last lines. */
export async function readText(
  folders: ContainedFolders,
  file: string,
  { head, tail }: LineRange,
): Promise<string> {
  const text = (await readBytes(folders, file, { head, tail })).toString();
  if (head !== undefined) return text.split('\n', head).join('\n');
  return tail === undefined ? text : lastLines(text, tail);
}

/** Reads a whole file, or the part that holds its first or last lines. */
async function readBytes(
  folders: ContainedFolders,
  file: string,
  { head, tail }: LineRange,
): Promise<Buffer> {
  await using opened = await folders.open(file);
  const { size } = await assertFile(opened, file);
  if (size > MAX_FILE_BYTES && head === undefined && tail === undefined) {
    throw new PmlError(
      'tool_failed',
      `${shownPath(file)} has ${size} bytes, and at most ${MAX_FILE_BYTES} are read at once: ask for its first (head) or last (tail) lines.`,
    );
  }
  const start = tail === undefined ? 0 : Math.max(0, size - MAX_FILE_BYTES);
  return await readPart(opened, start);
}

/** Writes a whole file. The new content is written to a draft that replaces the file, so that no half is left. */
export async function writeText(folders: ContainedFolders, file: string, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_FILE_BYTES)
    throw new PmlError('invalid_arguments', `A file can be written with at most ${MAX_FILE_BYTES} bytes.`);
  const { folder, name } = await folders.openParent(file);
  await using _ = folder;
  const before = await lstatIn(folder, name);
  if (before && !before.isFile()) throw new PmlError('tool_failed', `${shownPath(file)} is no file.`);
  const draft = path.join(folder.path, `.${randomUUID()}.tmp`);
  try {
    await using created = await open(draft, DRAFT, before ? before.mode & 0o777 : 0o666);
    await created.writeFile(bytes);
    // The umask may have taken away what the old file allowed.
    if (before) await created.chmod(before.mode & 0o777);
    await rename(draft, path.join(folder.path, name));
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw pathError(error, file, folders.folders);
  }
}

/** One replacement in a text. */
export interface TextEdit {
  oldText: string;
  newText: string;
}

/** Replaces texts in a file. Each must occur exactly once, so that nothing else is hit. */
export async function editText(
  folders: ContainedFolders,
  file: string,
  edits: readonly TextEdit[],
): Promise<void> {
  const bytes = await readBytes(folders, file, {});
  if (!isUtf8(bytes)) {
    throw new PmlError(
      'tool_failed',
      `Nothing was changed: ${shownPath(file)} is not in UTF-8, and an edit would damage its other characters.`,
    );
  }
  let text = bytes.toString();
  for (const [index, { oldText, newText }] of edits.entries()) {
    // Each may take a millisecond in a large file.
    await nextTurn();
    const at = text.indexOf(oldText);
    const isUnique = at !== -1 && text.indexOf(oldText, at + 1) === -1;
    if (!isUnique) {
      const found = at === -1 ? 'does not occur' : 'occurs more than once';
      throw new PmlError(
        'tool_failed',
        `Nothing was changed: the text of edit ${index + 1} ${found} in the file.`,
      );
    }
    text = text.slice(0, at) + newText + text.slice(at + oldText.length);
  }
  await writeText(folders, file, text);
}

export interface FolderEntry {
  name: string;
  type: 'file' | 'folder' | 'link' | 'other';
}

/** Lists a folder, by name. */
export async function listFolder(
  folders: ContainedFolders,
  folder: string,
): Promise<{ entries: FolderEntry[]; complete: boolean }> {
  const { entries, complete } = await readEntries(folders, folder, MAX_ENTRIES);
  return { entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)), complete };
}

/** Reads the names in a folder up to a limit, in pieces: reading a huge folder at once would hold up everybody else. */
export async function readEntries(
  folders: ContainedFolders,
  folder: string,
  limit: number,
): Promise<{ entries: FolderEntry[]; complete: boolean }> {
  await using opened = await folders.open(folder, flags.O_RDONLY | flags.O_DIRECTORY);
  const entries: FolderEntry[] = [];
  for await (const entry of await opendir(opened.path, { bufferSize: 200 })) {
    if (entries.length >= limit) return { entries, complete: false };
    entries.push({ name: entry.name, type: typeOf(entry) });
  }
  return { entries, complete: true };
}

/** Makes a folder, and those above it that are missing. */
export async function makeFolder(folders: ContainedFolders, folder: string): Promise<void> {
  const { root, parts } = await folders.locate(folder);
  for (const [index] of parts.entries()) {
    const { folder: parent, name } = await folders.openParent(path.join(root, ...parts.slice(0, index + 1)));
    await using _ = parent;
    try {
      await mkdir(path.join(parent.path, name));
    } catch (error) {
      const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
      const isFolder = isThere && (await lstatIn(parent, name))?.isDirectory();
      if (!isFolder) throw pathError(error, folder, folders.folders);
    }
  }
}

/** Moves or renames a file or folder. Refuses to overwrite anything. */
export async function moveFile(folders: ContainedFolders, from: string, to: string): Promise<void> {
  await folders.assertMovable(from);
  const source = await folders.openParent(from);
  await using _source = source.folder;
  const target = await folders.openParent(to);
  await using _target = target.folder;
  if (await lstatIn(target.folder, target.name))
    throw new PmlError('tool_failed', `${shownPath(to)} is there already.`);
  try {
    await rename(path.join(source.folder.path, source.name), path.join(target.folder.path, target.name));
  } catch (error) {
    throw pathError(error, from, folders.folders);
  }
}

/** Describes a file or folder. */
export async function describeFile(folders: ContainedFolders, file: string): Promise<object> {
  await using opened = await folders.open(file);
  const stats = await opened.handle.stat();
  const { size, mtime, birthtime, mode } = stats;
  return {
    type: typeOf(stats),
    size,
    modified: mtime.toISOString(),
    created: birthtime.toISOString(),
    permissions: (mode & 0o777).toString(8),
  };
}

async function assertFile(opened: OpenFile, file: string) {
  const stats = await opened.handle.stat();
  if (stats.isFile()) return stats;
  throw new PmlError('tool_failed', `${shownPath(file)} is ${stats.isDirectory() ? 'a folder' : 'no file'}.`);
}

async function readPart({ handle }: OpenFile, start: number): Promise<Buffer> {
  const buffer = Buffer.alloc(MAX_FILE_BYTES);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function lastLines(text: string, count: number): string {
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return lines.slice(-count).join('\n');
}

async function lstatIn(folder: OpenFile, name: string) {
  try {
    return await lstat(path.join(folder.path, name));
  } catch {
    return undefined;
  }
}

/** The kind of an entry of a folder, without following links. */
function typeOf(entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): FolderEntry['type'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
