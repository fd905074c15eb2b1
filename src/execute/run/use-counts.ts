import { usesOf } from '../../registry/curation/index.ts';
import type { Db } from '../../store/index.ts';

const MAX_COUNTED = 2000;
/** Others' uses are not counted here, so the count is read again after this time. */
const READ_AGAIN_MS = 10_000;

/** Counts how often capabilities are used. An answer waits for the database only when it was not asked lately. */
export class UseCounts {
  readonly #db: Db;
  readonly #readAgainMs: number;
  readonly #counts = new Map<string, { uses: number; readAt: number }>();

  constructor(db: Db, readAgainMs = READ_AGAIN_MS) {
    this.#db = db;
    this.#readAgainMs = readAgainMs;
  }

  /** Counts one more use, and returns how many there were before it. */
  async count(fqdn: string): Promise<number> {
    const now = performance.now();
    const known = this.#counts.get(fqdn);
    if (known && now - known.readAt < this.#readAgainMs) {
      known.uses += 1;
      return known.uses;
    }
    const uses = await usesOf(this.#db, fqdn);
    this.#counts.delete(fqdn);
    this.#counts.set(fqdn, { uses, readAt: now });
    if (this.#counts.size > MAX_COUNTED) this.#counts.delete(this.#counts.keys().next().value as string);
    return uses;
  }
}
