import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { PmlError } from '../../errors.ts';

/**
 * Writes a config in one step, so that whoever reads it meanwhile sees the old one or the new one, whole; readable by
 * its owner alone when it holds secrets.
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

/** A link stays a link; the file it leads to is the one to write. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
