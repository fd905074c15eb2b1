/**
 * Shares the one session of PGlite: transactions one at a time, and between two of them all statements that came meanwhile.
 * So a statement waits for the transaction that is open, and for none of those that wait behind it.
 */
export class SessionTurns {
  #isOpen = false;
  #statements: (() => void)[] = [];
  readonly #transactions: (() => void)[] = [];

  /** Sends a statement while no transaction is open. `send` must have posted it when it returns. */
  statement<T>(send: () => Promise<T>): Promise<T> {
    if (!this.#isOpen) return send();
    return new Promise((resolve) => this.#statements.push(() => resolve(send())));
  }

  async transaction<T>(body: () => Promise<T>): Promise<T> {
    if (this.#isOpen) await new Promise<void>((resolve) => this.#transactions.push(resolve));
    this.#isOpen = true;
    try {
      return await body();
    } finally {
      this.#end();
    }
  }

  /** Settles when every transaction so far has ended. */
  drained(): Promise<void> {
    return this.#isOpen ? this.transaction(async () => {}) : Promise.resolve();
  }

  /** The session stays taken if a transaction waits, so that no statement can slip into that. */
  #end(): void {
    const statements = this.#statements;
    this.#statements = [];
    for (const send of statements) send();
    const next = this.#transactions.shift();
    this.#isOpen = next !== undefined;
    next?.();
  }
}
