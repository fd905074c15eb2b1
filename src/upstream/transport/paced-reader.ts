import type { Readable } from 'node:stream';

const PIECE_BYTES = 8 * 1024;

/**
 * Reads a stream piece by piece. Node hands over megabytes in one turn of the event loop if they are there, and whoever
 * fills the stream decides how much work that is.
 */
export class PacedReader {
  readonly #stream: Readable;
  /** Answers whether the next piece may be read in the same turn. */
  readonly #read: (piece: Buffer) => boolean;
  #unread: Buffer | undefined;
  #isHeld = false;
  #turn: NodeJS.Immediate | undefined;

  constructor(stream: Readable, read: (piece: Buffer) => boolean) {
    this.#stream = stream;
    this.#read = read;
    stream.on('data', (chunk: Buffer) => {
      this.#unread = this.#unread ? Buffer.concat([this.#unread, chunk]) : chunk;
      this.#goOn();
    });
    stream.once('close', () => clearImmediate(this.#turn));
  }

  /** Reads no more until it is released, so that whoever writes has to wait. */
  hold(): void {
    this.#isHeld = true;
    this.#stream.pause();
  }

  release(): void {
    this.#isHeld = false;
    this.#goOn();
  }

  #goOn(): void {
    if (this.#turn) return;
    while (this.#unread && !this.#isHeld) {
      const piece = this.#unread.subarray(0, PIECE_BYTES);
      this.#unread = this.#unread.length > PIECE_BYTES ? this.#unread.subarray(PIECE_BYTES) : undefined;
      if (this.#read(piece)) continue;
      this.#takeTurn();
      return;
    }
    if (!this.#isHeld) this.#stream.resume();
  }

  #takeTurn(): void {
    this.#stream.pause();
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      this.#goOn();
    });
  }
}
