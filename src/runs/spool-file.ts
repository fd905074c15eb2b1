import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file of rows, one JSON line each. */
export class SpoolFile {
  readonly #file: number;
  /** The rows that a killed process left. */
  readonly recovered: unknown[];
  isEmpty: boolean;
  /** The last line is incomplete: the next row must begin on a line of its own. */
  #torn: boolean;

  constructor(path: string) {
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
      // An almost full disk writes a part of the line, and reports only its length.
      this.#torn = writeSync(this.#file, line) < Buffer.byteLength(line);
    } catch {
      // On a full disk the row is still in memory, and is stored from there.
    }
  }

  reset(): void {
    if (this.isEmpty) return;
    this.isEmpty = true;
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
