/** A source of decisions. Zero is always the simplest decision, so that a shrunk list of numbers is a simple program. */
export class Choices {
  readonly #next: () => number;

  private constructor(next: () => number) {
    this.#next = next;
  }

  /** Decides by the numbers given, and by zeros once they are used up. */
  static of(numbers: readonly number[]): Choices {
    let at = 0;
    return new Choices(() => numbers[at++] ?? 0);
  }

  /** Decides at random; a seed always decides alike. */
  static seeded(seed: number | string): Choices {
    let state = hash32(String(seed));
    return new Choices(() => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return (mixed ^ (mixed >>> 14)) >>> 0;
    });
  }

  /** Returns a whole number from 0 to `count` - 1. */
  below(count: number): number {
    return this.#next() % count;
  }

  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** True in so many of a hundred cases. */
  maybe(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  shuffled<T>(list: readonly T[]): T[] {
    const left = [...list];
    return list.map(() => left.splice(this.below(left.length), 1)[0] as T);
  }
}

/** FNV-1a, mixed at the end so that similar texts differ in all bits. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
