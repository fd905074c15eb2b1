import type { Readable } from 'node:stream';
import { LineReader } from '../../lines.ts';
import { TokenBucket } from '../../token-bucket.ts';
import { PacedReader } from './paced-reader.ts';

/** The rate at which a server's output is read, and a reserve that is read at once. */
const OUTPUT_BYTES_PER_SECOND = 1024 * 1024;
const OUTPUT_RESERVE = 2 * 1024 * 1024;
const MAX_OUTPUT_LINE = 1024 * 1024;

/** Reads what a server prints, at a limited rate. */
export function readStderr(stream: Readable, onLine: (line: string) => void): void {
  const lines = new LineReader(MAX_OUTPUT_LINE, onLine, () => {});
  const bytes = new TokenBucket(OUTPUT_BYTES_PER_SECOND, OUTPUT_RESERVE);
  const reader = new PacedReader(stream, (piece) => {
    lines.push(piece);
    if (!bytes.take(piece.length)) {
      reader.pause();
      setTimeout(() => reader.resume(), bytes.msUntil(0)).unref();
    }
    return false;
  });
}
