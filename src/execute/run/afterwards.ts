import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { FairTurns } from './fair-turns.ts';

/** More waiting work than this is dropped, of one principal and of all: what was remembered stays as it is. */
const MAX_WAITING = { each: 20, all: 100 };

/** Does work after the answer that caused it has gone out, one piece at a time. Principals that wait take turns. */
export class Afterwards {
  readonly #log: Log;
  readonly #turns = new FairTurns({ each: 1, all: 1 });
  readonly #waiting = new Map<string, number>();
  readonly #pieces = new Set<Promise<void>>();
  #isClosed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  add(principal: string, work: () => Promise<void>): void {
    const own = this.#waiting.get(principal) ?? 0;
    if (this.#isClosed || own >= MAX_WAITING.each || this.#pieces.size >= MAX_WAITING.all) return;
    this.#waiting.set(principal, own + 1);
    const piece = this.#turns.run(principal, async () => {
      this.#begin(principal);
      if (this.#isClosed) return;
      await work().catch((error) => this.#log.warn(`work after an answer failed: ${messageOf(error)}`));
    });
    this.#pieces.add(piece);
    void piece.finally(() => this.#pieces.delete(piece));
  }

  /** Waits for the piece that has begun; the others are not done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#pieces);
  }

  #begin(principal: string): void {
    const left = (this.#waiting.get(principal) ?? 1) - 1;
    if (left > 0) this.#waiting.set(principal, left);
    else this.#waiting.delete(principal);
  }
}
