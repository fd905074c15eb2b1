/** Even on a busy machine, only a fault takes longer. */
const MAX_WAIT_MS = 120_000;

export interface Notification {
  method: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it freely
  params: any;
}

/** The notifications that a client received, in order. Tests can wait for the next one. */
export class ReceivedNotifications {
  readonly all: Notification[] = [];
  readonly #waiting = new Set<() => void>();

  add(method: string, params: unknown): void {
    this.all.push({ method, params: params ?? {} });
    for (const check of this.#waiting) check();
  }

  of(method: string): Notification[] {
    return this.all.filter((one) => one.method === method);
  }

  /** Settles when `count` notifications of this method have arrived, counted from the start. */
  async until(method: string, count = 1): Promise<Notification[]> {
    await this.#when(() => this.of(method).length >= count, `${count} × ${method}`);
    return this.of(method);
  }

  clear(): void {
    this.all.length = 0;
  }

  #when(isDone: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (!isDone()) return;
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(check);
        const received = this.all.map(({ method }) => method).join(', ');
        reject(new Error(`waited for ${what}; received: ${received || 'nothing'}`));
      }, MAX_WAIT_MS);
      this.#waiting.add(check);
      check();
    });
  }
}
