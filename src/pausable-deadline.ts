/** Node's timers hold no more, and would take more for 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Time that runs out, but for the while in which it is stopped. */
export class PausableDeadline {
  readonly #ms: number;
  #left: number;
  /** When it was last running; undefined while it is stopped. */
  #since: number | undefined = performance.now();
  #stops = 0;

  constructor(ms: number) {
    this.#ms = ms;
    this.#left = ms;
  }

  /** Milliseconds that are left. */
  get left(): number {
    return this.#since === undefined ? this.#left : this.#left - (performance.now() - this.#since);
  }

  /** All of it again. */
  restart(): void {
    this.#left = this.#ms;
    if (this.#since !== undefined) this.#since = performance.now();
  }

  /** Stands still until the act has ended. */
  async during<T>(act: () => Promise<T>): Promise<T> {
    this.#left = this.left;
    this.#since = undefined;
    this.#stops += 1;
    try {
      return await act();
    } finally {
      this.#stops -= 1;
      if (this.#stops === 0) this.#since = performance.now();
    }
  }

  /** Tells when it has run out. Returns the way to stop waiting for that. */
  watch(onEnd: () => void): () => void {
    let timer: NodeJS.Timeout;
    const wait = () => {
      timer = setTimeout(look, Math.min(Math.max(1, this.left), MAX_TIMER_MS));
    };
    const look = () => (this.left > 0 ? wait() : onEnd());
    wait();
    return () => clearTimeout(timer);
  }
}
