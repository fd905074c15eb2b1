import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import { TokenBucket } from '../token-bucket.ts';
import type { ListKind } from './catalog.ts';

/** Notifications within this time are one burst, and cause one refresh. */
const BURST_MS = 50;
/** The rate of refreshes for a server that announces changes without end, and a reserve for bursts. */
const REFRESHES_PER_SECOND = 2;
const RESERVE = 20;
/** The pause after a refresh, as a multiple of its duration: lists that take long to read are read more rarely. */
const PAUSE_FACTOR = 3;
const MAX_PAUSE_MS = 5000;

/** Reads lists again when their server says that they changed: once per burst, and never twice at the same time. */
export class ListRefresher {
  readonly #read: (kinds: readonly ListKind[]) => Promise<void>;
  readonly #onProblem: (text: string) => void;
  readonly #stale = new Set<ListKind>();
  readonly #reads = new TokenBucket(REFRESHES_PER_SECOND, RESERVE);
  #pauseUntil = 0;
  #running = false;

  constructor(read: (kinds: readonly ListKind[]) => Promise<void>, onProblem: (text: string) => void) {
    this.#read = read;
    this.#onProblem = onProblem;
  }

  /** Marks lists as changed; they are read again soon. */
  mark(...kinds: ListKind[]): void {
    for (const kind of kinds) this.#stale.add(kind);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#stale.size > 0) {
      await sleep(Math.max(BURST_MS, this.#reads.msUntil(1), this.#pauseUntil - performance.now()));
      this.#reads.take(1);
      const started = performance.now();
      const kinds = [...this.#stale];
      this.#stale.clear();
      await this.#read(kinds).catch((error) => {
        this.#onProblem(`its lists changed but could not be read: ${messageOf(error)}`);
      });
      const took = performance.now() - started;
      this.#pauseUntil = performance.now() + Math.min(PAUSE_FACTOR * took, MAX_PAUSE_MS);
    }
    this.#running = false;
  }
}
