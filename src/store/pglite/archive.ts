import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** An entry in the archive's head: a folder, or a file with its length, in full and without trailing zeros. */
type Entry = { path: string; size?: number; stored?: number };

/**
 * Writes a folder into one compressed file: npm leaves empty folders out of a package, and PostgreSQL needs them. The
 * zeros at the end of files are not kept; without them a new write-ahead log takes no time to read.
 */
export function archiveFolder(folder: string, file: string): void {
  const contents: Buffer[] = [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).map((found): Entry => {
    const path = join(found.parentPath, found.name);
    const name = relative(folder, path).replaceAll('\\', '/');
    if (found.isDirectory()) return { path: name };
    const content = readFileSync(path);
    const stored = lengthWithoutZeros(content);
    contents.push(content.subarray(0, stored));
    return { path: name, size: content.length, stored };
  });
  const head = Buffer.from(JSON.stringify(entries));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  const level = { [constants.ZSTD_c_compressionLevel]: 12 };
  writeFileSync(file, zstdCompressSync(Buffer.concat([length, head, ...contents]), { params: level }));
}

/** Writes the content of an archive into a new folder, for its owner alone. */
export function extractArchive(file: string, folder: string): void {
  const data = zstdDecompressSync(readFileSync(file));
  let place = 4 + data.readUInt32BE(0);
  const entries: Entry[] = JSON.parse(data.toString('utf8', 4, place));
  mkdirSync(folder, { mode: 0o700 });
  for (const { path, size, stored = 0 } of entries) {
    if (size === undefined) {
      mkdirSync(join(folder, path), { recursive: true });
      continue;
    }
    const target = openSync(join(folder, path), 'wx', 0o600);
    // The zeros are written, not left as a hole: PostgreSQL must find room for its log on a disk that is full by then.
    writeFileSync(target, Buffer.concat([data.subarray(place, place + stored)], size));
    closeSync(target);
    place += stored;
  }
}

function lengthWithoutZeros(content: Buffer): number {
  let length = content.length;
  while (length > 0 && content[length - 1] === 0) length -= 1;
  return length;
}
