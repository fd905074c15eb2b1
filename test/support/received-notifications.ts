const PATIENCE_MS = 30_000;

export interface Notification {
  method: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it freely
  params: any;
}

/** The notifications a client received, in order, and the way to wait for one. */
export class Heard {
  readonly all: Notification[] = [];
  readonly #waiting = new Set<() => void>();

  add(method: string, params: unknown): void {
    this.all.push({ method, params: params ?? {} });
    for (const look of this.#waiting) look();
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

  #when(isSo: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!isSo()) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        const heard = this.all.map(({ method }) => method).join(', ');
        reject(new Error(`waited for ${what}; heard: ${heard || 'nothing'}`));
      }, PATIENCE_MS);
      this.#waiting.add(look);
      look();
    });
  }
}
