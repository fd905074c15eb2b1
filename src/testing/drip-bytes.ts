/** Readers may keep this many chunks without copying them, as `ChunkList` does. */
const KEPT_CHUNKS = 16;

/**
 * Gives a text byte by byte. After the first few, all chunks are one Buffer that is overwritten each time: whoever keeps it
 * instead of a copy ends up with wrong bytes.
 */
export function dripBytes(text: string, give: (chunk: Buffer) => void): void {
  const shared = Buffer.alloc(1);
  for (const [at, byte] of Buffer.from(text).entries()) {
    shared[0] = byte;
    give(at < KEPT_CHUNKS ? Buffer.of(byte) : shared);
  }
}
