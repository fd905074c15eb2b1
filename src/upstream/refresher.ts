import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import { TokenBucket } from '../token-bucket.ts';
import type { ListKind } from './catalog.ts';

/** Notifications that arrive within this time are one burst, and cost one refresh. */
const BURST_MS = 50;
/** A server that announces changes without end is listed so often. */
const PER_SECOND = 2;
const RESERVE = 20;
/** Lists that take long to read are read more rarely: a rest of so many times as long, up to the longest. */
const REST = 3;
const LONGEST_REST_MS = 5000;

/** Reads lists again when their server says that they changed: once per burst, and never twice at the same time. */
export class Refresher {
  readonly #read: (kinds: readonly ListKind[]) => Promise<void>;
  readonly #onProblem: (text: string) => void;
  readonly #stale = new Set<ListKind>();
  readonly #reads = new TokenBucket(PER_SECOND, RESERVE);
  #restUntil = 0;
  #running = false;

  constructor(read: (kinds: readonly ListKind[]) => Promise<void>, onProblem: (text: string) => void) {
    this.#read = read;
    this.#onProblem = onProblem;
  }

  mark(...kinds: ListKind[]): void {
    for (const kind of kinds) this.#stale.add(kind);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#stale.size > 0) {
      await sleep(Math.max(BURST_MS, this.#reads.msUntil(1), this.#restUntil - performance.now()));
      this.#reads.take(1);
      const started = performance.now();
      const kinds = [...this.#stale];
      this.#stale.clear();
      await this.#read(kinds).catch((error) => {
        this.#onProblem(`its lists changed but could not be read: ${messageOf(error)}`);
      });
      const took = performance.now() - started;
      this.#restUntil = performance.now() + Math.min(REST * took, LONGEST_REST_MS);
    }
    this.#running = false;
  }
}
