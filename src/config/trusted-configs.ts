import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PmlError } from '../errors.ts';

/** Which config files a person has trusted, and at which content. */
export interface Trust {
  /** The fingerprint of the power with which a file was trusted; none if it never was. */
  fingerprintOf(file: string): string | undefined;
}

interface Entry {
  file: string;
  fingerprint: string;
}

/**
 * The files that this home trusts, one entry a file, so that two who trust at once cannot undo each other. Read anew for every
 * question: whoever trusts a file is another process.
 */
export class TrustedConfigs implements Trust {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  fingerprintOf(file: string): string | undefined {
    try {
      const entry = JSON.parse(readFileSync(this.#entryOf(file), 'utf8')) as Entry;
      return entry.file === placeOf(file) ? entry.fingerprint : undefined;
    } catch {
      // Whatever cannot be read trusts nothing.
      return undefined;
    }
  }

  /** Trusts a file for as long as what it runs and sends is what this fingerprint stands for. */
  add(file: string, fingerprint: string): void {
    const entry: Entry = { file: placeOf(file), fingerprint };
    const target = this.#entryOf(file);
    const draft = `${target}.${randomUUID()}`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(draft, `${JSON.stringify(entry)}\n`, { mode: 0o600, flag: 'wx', flush: true });
      renameSync(draft, target);
    } catch (thrown) {
      rmSync(draft, { force: true });
      const { code } = thrown as NodeJS.ErrnoException;
      throw new PmlError('home_unusable', `${this.#folder} cannot be written (${code}).`);
    }
  }

  #entryOf(file: string): string {
    const name = createHash('sha256').update(placeOf(file)).digest('hex').slice(0, 32);
    return path.join(this.#folder, `${name}.json`);
  }
}

/**
 * Where a file acts: its folder without links, since its servers run there. The file itself may be a link: what it says is
 * fingerprinted, wherever it is kept.
 */
function placeOf(file: string): string {
  return path.join(realFolder(file), path.basename(file));
}

export function realFolder(file: string): string {
  const folder = path.dirname(file);
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
