import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicKeyOf } from '../trust/keys.ts';
import { fingerprintOf } from './read-bundle.ts';

/** The keys of others whose bundles are imported without a question: one file each, named by its fingerprint. */
export class TrustedKeys {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  has(publicKey: string): boolean {
    const file = this.#fileOf(publicKey);
    try {
      // The file name is for people; the key itself decides.
      return file !== undefined && readFileSync(file, 'utf8').trim() === publicKey;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  add(publicKey: string): void {
    const file = this.#fileOf(publicKey);
    if (file === undefined || this.has(publicKey)) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.${process.pid}`, `${publicKey}\n`, { mode: 0o600, flush: true });
    renameSync(`${file}.${process.pid}`, file);
  }

  #fileOf(publicKey: string): string | undefined {
    const key = publicKeyOf(publicKey);
    return key && join(this.#folder, `${fingerprintOf(key)}.pub`);
  }
}
