/** setTimeout overflows above 2³¹−1 ms and fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A deadline whose time stands still while it is paused. */
export class PausableDeadline {
  readonly #ms: number;
  #remainingMs: number;
  /** When it began to run; undefined while it is paused. */
  #runningSince: number | undefined = performance.now();
  #pauses = 0;

  constructor(ms: number) {
    this.#ms = ms;
    this.#remainingMs = ms;
  }

  get remainingMs(): number {
    const ranMs = this.#runningSince === undefined ? 0 : performance.now() - this.#runningSince;
    return this.#remainingMs - ranMs;
  }

  /** Starts again with the full time. */
  restart(): void {
    this.#remainingMs = this.#ms;
    if (this.#runningSince !== undefined) this.#runningSince = performance.now();
  }

  /** Pauses until the work has ended. Pauses may overlap. */
  async pauseDuring<T>(work: () => Promise<T>): Promise<T> {
    this.#remainingMs = this.remainingMs;
    this.#runningSince = undefined;
    this.#pauses += 1;
    try {
      return await work();
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#runningSince = performance.now();
    }
  }

  /** Calls back once the time has run out. Returns a function that cancels this. */
  onExpiry(expired: () => void): () => void {
    let timer: NodeJS.Timeout;
    const wait = () => {
      timer = setTimeout(check, Math.min(Math.max(1, this.remainingMs), MAX_TIMER_MS));
    };
    const check = () => (this.remainingMs > 0 ? wait() : expired());
    wait();
    return () => clearTimeout(timer);
  }
}
