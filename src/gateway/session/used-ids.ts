/** More than a session uses in one task. */
const MAX_IDS = 200;

/** Remembers the ids of the tools and capabilities that a session used lately. */
export class UsedIds {
  readonly #ids = new Set<string>();

  get ids(): ReadonlySet<string> {
    return this.#ids;
  }

  add(id: string): void {
    this.#ids.delete(id);
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > MAX_IDS && oldest !== undefined) this.#ids.delete(oldest);
  }
}
