import type { Embedder } from './embedder.ts';
import { type SmallVector, smallVector } from './small-vector.ts';

/** How many vectors of intents are kept, and how many requests may be pending. */
const MAX_KEPT = 500;
const MAX_ASKED = 4;

/** Caches the vectors of intents. A vector that comes too late for its search is there for the next one. */
export class QueryVectors {
  readonly #kept = new Map<string, SmallVector>();
  #asked = 0;

  /**
   * Returns the vectors of the texts, or undefined if there are too many requests already. The vectors of a user's
   * searches are kept for that user alone: a faster answer would tell others what was searched for.
   */
  async of(
    texts: readonly string[],
    user: string | undefined,
    embedder: Embedder,
  ): Promise<SmallVector[] | undefined> {
    const keyOf = (text: string) => JSON.stringify([embedder.model, user, text]);
    const missing = texts.filter((text) => !this.#kept.has(keyOf(text)));
    const known = texts.map((text) => this.#kept.get(keyOf(text)));
    if (missing.length === 0) return known as SmallVector[];
    if (this.#asked >= MAX_ASKED) return undefined;
    const made = await this.#ask(missing, embedder);
    for (const [at, text] of missing.entries()) this.#keep(keyOf(text), made[at] as SmallVector);
    return known.map((one, at) => one ?? (made[missing.indexOf(texts[at] as string)] as SmallVector));
  }

  clear(): void {
    this.#kept.clear();
  }

  async #ask(texts: readonly string[], embedder: Embedder): Promise<SmallVector[]> {
    this.#asked += 1;
    try {
      return (await embedder.embed(texts)).map(smallVector);
    } finally {
      this.#asked -= 1;
    }
  }

  #keep(key: string, vector: SmallVector): void {
    if (this.#kept.size >= MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value as string);
    this.#kept.set(key, vector);
  }
}
