import type { Readable } from 'node:stream';

const PIECE_BYTES = 8 * 1024;

/**
 * Reads a stream in small pieces, with turns of the event loop in between. Node delivers megabytes in one turn if they
 * are there, so the writer would decide how long the host is busy.
 */
export class PacedReader {
  readonly #stream: Readable;
  /** Returns whether the next piece may be read in the same turn. */
  readonly #read: (piece: Buffer) => boolean;
  #unread: Buffer | undefined;
  #isPaused = false;
  #nextTurn: NodeJS.Immediate | undefined;

  constructor(stream: Readable, read: (piece: Buffer) => boolean) {
    this.#stream = stream;
    this.#read = read;
    stream.on('data', (chunk: Buffer) => {
      this.#unread = this.#unread ? Buffer.concat([this.#unread, chunk]) : chunk;
      this.#readPieces();
    });
    stream.once('close', () => clearImmediate(this.#nextTurn));
  }

  /** Stops reading until `resume`, so that the writer has to wait. */
  pause(): void {
    this.#isPaused = true;
    this.#stream.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#readPieces();
  }

  #readPieces(): void {
    if (this.#nextTurn) return;
    while (this.#unread && !this.#isPaused) {
      const piece = this.#unread.subarray(0, PIECE_BYTES);
      this.#unread = this.#unread.length > PIECE_BYTES ? this.#unread.subarray(PIECE_BYTES) : undefined;
      if (this.#read(piece)) continue;
      this.#continueNextTurn();
      return;
    }
    if (!this.#isPaused) this.#stream.resume();
  }

  #continueNextTurn(): void {
    this.#stream.pause();
    this.#nextTurn = setImmediate(() => {
      this.#nextTurn = undefined;
      this.#readPieces();
    });
  }
}
