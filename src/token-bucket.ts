/** Limits a rate and allows bursts: tokens come back at a steady pace until the bucket is full. */
export class TokenBucket {
  readonly #perMs: number;
  readonly #size: number;
  readonly #now: () => number;
  #tokens: number;
  #since: number;

  constructor(perSecond: number, size: number, now: () => number = () => performance.now()) {
    this.#perMs = perSecond / 1000;
    this.#size = size;
    this.#now = now;
    this.#tokens = size;
    this.#since = now();
  }

  /** Takes tokens, going into debt if there are too few. Returns whether there were enough. */
  take(count: number): boolean {
    this.#refill();
    this.#tokens -= count;
    return this.#tokens >= 0;
  }

  /** Takes tokens only if there are enough. */
  tryTake(count: number): boolean {
    this.#refill();
    if (this.#tokens < count) return false;
    this.#tokens -= count;
    return true;
  }

  /** Returns the milliseconds until there are so many tokens. */
  msUntil(count: number): number {
    this.#refill();
    return Math.max(0, Math.ceil((Math.min(count, this.#size) - this.#tokens) / this.#perMs));
  }

  #refill(): void {
    const now = this.#now();
    this.#tokens = Math.min(this.#size, this.#tokens + (now - this.#since) * this.#perMs);
    this.#since = now;
  }
}
