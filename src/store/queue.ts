/** Lets calls run one at a time, in the order they came. */
export class Queue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when every call made so far has ended. */
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
