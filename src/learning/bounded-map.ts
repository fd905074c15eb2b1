/**
 * An approximate LRU map of at most `max` entries. Entries that are set or found are young; when half of `max` are young, they
 * become the old half, and the former old half is dropped. A hit mostly costs one lookup; an exact LRU would change the map twice.
 */
export class BoundedMap<Key, Value> {
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  readonly #half: number;

  constructor(max: number) {
    this.#half = Math.max(1, Math.floor(max / 2));
  }

  get size(): number {
    let size = this.#young.size;
    for (const key of this.#old.keys()) if (!this.#young.has(key)) size += 1;
    return size;
  }

  has(key: Key): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
