/** Runs calls one at a time, in order. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve();

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
