import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file of rows that are not stored yet, a JSON line each: written before the caller is answered. */
export class Spool {
  readonly #file: number;
  /** The rows that a killed process left. */
  readonly left: unknown[];
  #empty: boolean;
  /** The last line has no end: what is appended must not run into it. */
  #torn: boolean;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#file = openSync(path, 'a+', 0o600);
    const text = readFileSync(this.#file, 'utf8');
    this.left = text.split('\n').flatMap(parseRow);
    this.#empty = text === '';
    this.#torn = text !== '' && !text.endsWith('\n');
  }

  append(row: unknown): void {
    const line = Buffer.from(`${this.#torn ? '\n' : ''}${JSON.stringify(row)}\n`);
    this.#empty = false;
    this.#torn = true;
    try {
      // A disk that is almost full takes a part of the line, and says so only by its length.
      this.#torn = writeSync(this.#file, line) < line.length;
    } catch {
      // A full disk: the row is still in memory, and is stored from there.
    }
  }

  /** Everything appended so far is stored. */
  reset(): void {
    if (this.#empty) return;
    this.#empty = true;
    this.#torn = false;
    ftruncateSync(this.#file, 0);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** A line may be cut where the process died in the middle of it: that call was never answered. */
function parseRow(line: string): unknown[] {
  try {
    return line ? [JSON.parse(line)] : [];
  } catch {
    return [];
  }
}
