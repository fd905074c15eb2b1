import type { Log } from '../log.ts';
import { TokenBucket } from '../token-bucket.ts';

/** How much one server may add to the log: a reserve for a burst, then a rate that cannot crowd out the others. */
const BYTES_PER_SECOND = 16 * 1024;
const RESERVE = 512 * 1024;
/** Counted for each line besides its text, and the most that the log keeps of a line. */
const LINE_OVERHEAD_BYTES = 100;
const MAX_LINE_BYTES = 4000;
/** How long dropped lines are counted before the count is logged. */
const COUNT_MS = 5000;

/** Writes what a server prints and logs into the log, up to a rate. */
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

  /** Makes the text only if the log writes it. */
  debug(makeText: () => string): void {
    if (!this.#log.writes('debug')) return;
    const text = makeText();
    if (this.#hasRoom(text)) this.#log.debug(text);
  }

  /** Logs how many lines were dropped, if any. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#dropped > 0)
      this.#log.warn(`${this.#dropped} lines of server "${this.#server}" dropped: too many`);
    this.#dropped = 0;
  }

  #hasRoom({ length }: string): boolean {
    if (this.#dropped === 0 && this.#bytes.tryTake(LINE_OVERHEAD_BYTES + Math.min(length, MAX_LINE_BYTES)))
      return true;
    this.#dropped += 1;
    this.#timer ??= setTimeout(() => this.close(), COUNT_MS).unref();
    return false;
  }
}
