import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';

/** More waiting work than this is dropped, the newest first: what was remembered stays as it is. */
const MAX_WAITING = 100;

/** Does work after the answer that caused it has gone out, one piece at a time. */
export class Afterwards {
  readonly #log: Log;
  #waiting = 0;
  #isClosed = false;
  #last: Promise<void> = Promise.resolve();

  constructor(log: Log) {
    this.#log = log;
  }

  add(work: () => Promise<void>): void {
    if (this.#isClosed || this.#waiting >= MAX_WAITING) return;
    this.#waiting += 1;
    this.#last = this.#last.then(async () => {
      this.#waiting -= 1;
      if (this.#isClosed) return;
      await work().catch((error) => this.#log.warn(`work after an answer failed: ${messageOf(error)}`));
    });
  }

  /** Waits for the piece that has begun; the others are not done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
  }

  /** Settles once nothing waits. */
  idle(): Promise<void> {
    return this.#last;
  }
}
