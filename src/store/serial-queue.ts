/** Runs calls one at a time, in order. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve();

  /** Settles when every call so far has ended. */
  drained(): Promise<void> {
    return this.#last;
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    const previous = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await previous;
    try {
      return await call();
    } finally {
      resolve();
    }
  }
}
