import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** A file of rows, one JSON line each. */
export class SpoolFile {
  readonly #path: string;
  /** The file descriptor; undefined once closed, because the system reuses its number. */
  #file: number | undefined;
  /** The rows that a killed process left. */
  readonly recovered: unknown[];
  isEmpty: boolean;
  /** The last line is incomplete: the next row must begin on a line of its own. */
  #torn: boolean;

  constructor(path: string) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#file = openSync(path, 'a+', 0o600);
    const text = readFileSync(this.#file, 'utf8');
    this.recovered = text.split('\n').flatMap(parseRow);
    this.isEmpty = text === '';
    this.#torn = text !== '' && !text.endsWith('\n');
  }

  append(json: string): void {
    const line = `${this.#torn ? '\n' : ''}${json}\n`;
    this.isEmpty = false;
    this.#torn = true;
    try {
      if (this.#file === undefined) {
        appendFileSync(this.#path, line, { mode: 0o600 });
        this.#torn = false;
        return;
      }
      // On an almost full disk, writeSync writes a part of the line and returns its length; it does not throw.
      this.#torn = writeSync(this.#file, line) < Buffer.byteLength(line);
    } catch {
      // On a full disk the row is still in memory, and is stored from there.
    }
  }

  reset(): void {
    if (this.isEmpty || this.#file === undefined) return;
    try {
      ftruncateSync(this.#file, 0);
    } catch {
      // The next start stores the rows again, which their ids make harmless.
      return;
    }
    this.isEmpty = true;
    this.#torn = false;
  }

  /** Rows that are appended after this are still written, by path, for the next start. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** Skips a line that was cut when the process died: that call was never answered. */
function parseRow(line: string): unknown[] {
  try {
    return line ? [JSON.parse(line)] : [];
  } catch {
    return [];
  }
}
