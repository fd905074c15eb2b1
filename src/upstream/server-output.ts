import type { Log } from '../log.ts';
import { TokenBucket } from '../token-bucket.ts';

/** What one server may add to the log: a long story once, then so much that it cannot push the others out of it. */
const BYTES_PER_SECOND = 16 * 1024;
const RESERVE = 512 * 1024;
/** A line takes room beside its text, and no more of the text is kept. */
const LINE_BYTES = 100;
const MAX_LINE_BYTES = 4000;
/** How long lines that are dropped are counted before it is said. */
const COUNT_MS = 5000;

/** What a server prints and logs, as far as the log has room for it. */
export class ServerOutput {
  readonly #server: string;
  readonly #log: Log;
  readonly #bytes = new TokenBucket(BYTES_PER_SECOND, RESERVE);
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(server: string, log: Log) {
    this.#server = server;
    this.#log = log;
  }

  info(text: string): void {
    if (this.#hasRoom(text)) this.#log.info(text);
  }

  /** The text is made only if it is kept. */
  debug(text: () => string): void {
    if (!this.#log.writes('debug')) return;
    const made = text();
    if (this.#hasRoom(made)) this.#log.debug(made);
  }

  /** Says how much was dropped, if anything was. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#dropped > 0)
      this.#log.warn(`${this.#dropped} lines of server "${this.#server}" dropped: too many`);
    this.#dropped = 0;
  }

  #hasRoom({ length }: string): boolean {
    if (this.#dropped === 0 && this.#bytes.tryTake(LINE_BYTES + Math.min(length, MAX_LINE_BYTES)))
      return true;
    this.#dropped += 1;
    this.#timer ??= setTimeout(() => this.close(), COUNT_MS).unref();
    return false;
  }
}
