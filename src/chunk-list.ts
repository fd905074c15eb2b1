/** Most bodies come in fewer chunks. */
export const KEPT_CHUNKS = 16;
/** From this size on, the hundred or so bytes that a Buffer object itself takes hardly matter. */
const LARGE_BYTES = 4 * 1024;
const BLOCK_BYTES = 16 * 1024;
const NO_BLOCK = Buffer.alloc(0);

/** Collects the chunks of one body. Keeps the first few and all large ones as they are, and copies the others into blocks. */
export class ChunkList {
  #chunks: Buffer[] = [];
  /** The rest of the last block. Its first `#filled` bytes are in use. */
  #block = NO_BLOCK;
  #filled = 0;

  /** How many Buffers it holds. */
  get count(): number {
    return this.#chunks.length + (this.#filled > 0 ? 1 : 0);
  }

  add(bytes: Uint8Array): void {
    const chunk = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.#chunks.length >= KEPT_CHUNKS && chunk.length < LARGE_BYTES) {
      this.#copy(chunk);
      return;
    }
    this.#keepFilled();
    this.#chunks.push(chunk);
  }

  /** Returns all bytes. Copies nothing if they came as one chunk. */
  joined(): Buffer {
    this.#keepFilled();
    const [first] = this.#chunks;
    return first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
  }

  clear(): void {
    this.#chunks = [];
    this.#block = NO_BLOCK;
    this.#filled = 0;
  }

  #copy(chunk: Buffer): void {
    if (chunk.length > this.#block.length - this.#filled) {
      this.#keepFilled();
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    }
    this.#filled += chunk.copy(this.#block, this.#filled);
  }

  #keepFilled(): void {
    if (this.#filled === 0) return;
    this.#chunks.push(this.#block.subarray(0, this.#filled));
    this.#block = this.#block.subarray(this.#filled);
    this.#filled = 0;
  }
}
