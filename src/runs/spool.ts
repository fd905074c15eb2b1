import { SpoolFile } from './spool-file.ts';

/**
 * Keeps rows that are not stored yet in a file, written before the caller is answered. While the rows of one file are being
 * stored, new ones go to another, so that the first can be emptied although calls never pause.
 */
export class Spool {
  /** The rows that a killed process left. */
  readonly recovered: unknown[];
  readonly #files: readonly [SpoolFile, SpoolFile];
  #current: SpoolFile;

  constructor(path: string) {
    this.#files = [new SpoolFile(path), new SpoolFile(`${path}.next`)];
    this.#current = this.#files[0];
    this.recovered = this.#files.flatMap(({ recovered }) => recovered);
  }

  append(json: string): void {
    this.#current.append(json);
  }

  /** Appends to the other file from now on, if that is empty. */
  rotate(): void {
    const other = this.#other();
    if (other.isEmpty) this.#current = other;
  }

  /** Empties the file that is not appended to, once its rows are stored. */
  resetOther(): void {
    this.#other().reset();
  }

  /** Empties both files, once all rows are stored. */
  reset(): void {
    for (const file of this.#files) file.reset();
    this.#current = this.#files[0];
  }

  close(): void {
    for (const file of this.#files) file.close();
  }

  #other(): SpoolFile {
    const [first, second] = this.#files;
    return this.#current === first ? second : first;
  }
}
