/** Random numbers from 0 to 1 that a seed repeats (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The seed of this run. A failure names it; `PML_SEED` repeats it. */
export const SEED = Number(process.env.PML_SEED ?? Math.floor(Math.random() * 2 ** 31));

/**
 * Lets those who wait go on one at a time, in an order drawn from the seed. Acts that always run in the order in which they
 * were started cannot fail as races do.
 */
export class DrawnOrder {
  readonly #random: () => number;
  readonly #waiting: (() => void)[] = [];

  constructor(seed = SEED) {
    this.#random = numbersFrom(seed);
  }

  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(() => this.#next());
    });
  }

  #next(): void {
    const [drawn] = this.#waiting.splice(Math.floor(this.#random() * this.#waiting.length), 1);
    drawn?.();
    if (this.#waiting.length > 0) setImmediate(() => this.#next());
  }
}
