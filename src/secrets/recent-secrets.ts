import type { Span } from './find-secrets.ts';
import { isPlainWord, isWord } from './run-secrets.ts';

const MAX_RECENT = 500;
/** Shorter values, such as a PIN, occur in other texts by chance. They are hidden only for a short while, as whole words. */
const MIN_ANYWHERE = 6;
const SHORT_LIVED_MS = 60_000;
/** Longer secrets are not kept: texts are read only this far beyond their cut. */
const MAX_LENGTH = 1024;

/** The secrets of the latest runs, in memory alone: a server may print them, and a description may quote them. */
export class RecentSecrets {
  /** When each was last seen, the oldest first. */
  readonly #seen = new Map<string, number>();

  /** All of them, the oldest first. */
  get texts(): string[] {
    return [...this.#seen.keys()];
  }

  add(texts: readonly string[]): void {
    for (const text of texts) {
      if (text.length < 4 || text.length > MAX_LENGTH || isPlainWord(text)) continue;
      this.#seen.delete(text);
      this.#seen.set(text, Date.now());
    }
    for (const text of this.#seen.keys()) {
      if (this.#seen.size <= MAX_RECENT) break;
      this.#seen.delete(text);
    }
  }

  spansIn(text: string): Span[] {
    const found: Span[] = [];
    for (const [secret, seenAt] of this.#seen) {
      const isShort = secret.length < MIN_ANYWHERE;
      if (secret.length > text.length || (isShort && Date.now() - seenAt > SHORT_LIVED_MS)) continue;
      for (
        let start = text.indexOf(secret);
        start !== -1;
        start = text.indexOf(secret, start + secret.length)
      ) {
        const end = start + secret.length;
        if (!isShort || isWord(text, start, end)) found.push({ start, end });
      }
    }
    return found;
  }
}
