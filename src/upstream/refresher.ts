import { messageOf } from '../errors.ts';
import type { ListKind } from './catalog.ts';

/** Notifications that arrive within this time are one burst, and cost one refresh. */
const BURST_MS = 50;

/** Reads lists again when their server says that they changed: once per burst, and never twice at the same time. */
export class Refresher {
  readonly #read: (kinds: readonly ListKind[]) => Promise<void>;
  readonly #onProblem: (text: string) => void;
  readonly #stale = new Set<ListKind>();
  #running = false;

  constructor(read: (kinds: readonly ListKind[]) => Promise<void>, onProblem: (text: string) => void) {
    this.#read = read;
    this.#onProblem = onProblem;
  }

  mark(...kinds: ListKind[]): void {
    for (const kind of kinds) this.#stale.add(kind);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#stale.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, BURST_MS));
      const kinds = [...this.#stale];
      this.#stale.clear();
      await this.#read(kinds).catch((error) => {
        this.#onProblem(`its lists changed but could not be read: ${messageOf(error)}`);
      });
    }
    this.#running = false;
  }
}
