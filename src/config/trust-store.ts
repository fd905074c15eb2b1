import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PmlError } from '../errors.ts';

/** Looks up which config files a person has trusted. */
export interface TrustLookup {
  /** Returns the fingerprint of the effects with which a file was trusted; undefined if it never was. */
  fingerprintOf(file: string): string | undefined;
}

interface Entry {
  file: string;
  fingerprint: string;
}

/**
 * The config files that a home trusts. Each has an entry of its own, so that two processes that add at once keep both, and
 * every lookup reads it again, because another process may have added it.
 */
export class TrustStore implements TrustLookup {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  fingerprintOf(file: string): string | undefined {
    try {
      const entry = JSON.parse(readFileSync(this.entryFile(file), 'utf8')) as Entry;
      return entry.file === canonicalPath(file) ? entry.fingerprint : undefined;
    } catch {
      // An unreadable entry trusts nothing.
      return undefined;
    }
  }

  /** Trusts a file for as long as its effects have this fingerprint. */
  add(file: string, fingerprint: string): void {
    const entry: Entry = { file: canonicalPath(file), fingerprint };
    const target = this.entryFile(file);
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

  /** The file in which the entry of a config file is, if it has one. */
  entryFile(file: string): string {
    const name = createHash('sha256').update(canonicalPath(file)).digest('hex').slice(0, 32);
    return path.join(this.#folder, `${name}.json`);
  }
}

/**
 * Resolves links in the folder, where the servers run, but not in the file name: the content is fingerprinted, wherever it
 * is kept.
 */
function canonicalPath(file: string): string {
  return path.join(realFolder(file), path.basename(file));
}

/** Returns a file's folder without links. */
export function realFolder(file: string): string {
  const folder = path.dirname(file);
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
