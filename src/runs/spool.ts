import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file of rows that are not stored yet, one JSON line each, written before the caller is answered. */
export class Spool {
  readonly #file: number;
  /** The rows that a killed process left. */
  readonly recovered: unknown[];
  #empty: boolean;
  /** The last line is incomplete: the next row must begin on a line of its own. */
  #torn: boolean;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#file = openSync(path, 'a+', 0o600);
    const text = readFileSync(this.#file, 'utf8');
    this.recovered = text.split('\n').flatMap(parseRow);
    this.#empty = text === '';
    this.#torn = text !== '' && !text.endsWith('\n');
  }

  append(row: unknown): void {
    const line = Buffer.from(`${this.#torn ? '\n' : ''}${JSON.stringify(row)}\n`);
    this.#empty = false;
    this.#torn = true;
    try {
      // An almost full disk writes a part of the line, and reports only its length.
      this.#torn = writeSync(this.#file, line) < line.length;
    } catch {
      // On a full disk the row is still in memory, and is stored from there.
    }
  }

  /** Empties the file once all its rows are stored. */
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

/** Skips a line that was cut when the process died: that call was never answered. */
function parseRow(line: string): unknown[] {
  try {
    return line ? [JSON.parse(line)] : [];
  } catch {
    return [];
  }
}
