import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { PmlError } from '../../errors.ts';

/**
 * Writes a config in one step: a reader sees the whole old file or the whole new one. With secrets in it, only its owner
 * can read it.
 */
export function writeConfig(file: string, text: string, secret: boolean): void {
  const target = realPath(file);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: secret ? 0o600 : 0o666, flag: 'wx' });
    const before = statSync(target, { throwIfNoEntry: false });
    if (before && !secret) chmodSync(temporary, before.mode & 0o777);
    renameSync(temporary, target);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw new PmlError(
      'config_invalid',
      `pml.json: cannot be written (${(thrown as NodeJS.ErrnoException).code})`,
    );
  }
}

/** Follows a link, so that it stays one and its target is written. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
