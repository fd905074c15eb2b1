import { chmodSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PmlError } from '../../errors.ts';

/**
 * Writes a file in one step: a reader sees the whole old file or the whole new one, also if PML is killed meanwhile. With secrets in
 * it, only its owner can read it.
 */
export function writeWhole(file: string, text: string, isSecret: boolean): void {
  const target = realPath(file);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, text, { mode: isSecret ? 0o600 : 0o666, flag: 'wx' });
    const before = statSync(target, { throwIfNoEntry: false });
    if (before && !isSecret) chmodSync(temporary, before.mode & 0o777);
    renameSync(temporary, target);
  } catch (thrown) {
    removeIfPossible(temporary);
    const { code } = thrown as NodeJS.ErrnoException;
    throw new PmlError('config_invalid', `${file} cannot be written (${code}).`, {
      hint: adviceFor(code, path.dirname(target)),
    });
  }
}

function adviceFor(code: string | undefined, folder: string): string {
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `You may not write in ${folder}. Go to a folder of your own, or use pml init --global.`;
  return code === 'ENOSPC' ? 'The disk is full.' : 'Nothing was changed.';
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The folder cannot be written, so nothing is there.
  }
}

/** Resolves a symbolic link, so that the link stays and its target is written. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
