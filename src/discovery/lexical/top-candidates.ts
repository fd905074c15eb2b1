export interface Candidate {
  slot: number;
  /** The sum of the weights of the intent's terms that it holds. */
  sum: number;
}

/** Keeps the best of many candidates: a heap whose first is the worst kept. Ties are settled by id. */
export class TopCandidates {
  readonly #limit: number;
  readonly #idOf: (slot: number) => string;
  readonly #heap: Candidate[] = [];

  constructor(limit: number, idOf: (slot: number) => string) {
    this.#limit = limit;
    this.#idOf = idOf;
  }

  wouldKeep(slot: number, sum: number): boolean {
    if (this.#heap.length < this.#limit) return true;
    const worst = this.#heap[0];
    if (worst === undefined || sum < worst.sum) return false;
    return sum > worst.sum || this.#idOf(slot) < this.#idOf(worst.slot);
  }

  /** Adds a candidate that `wouldKeep` approved. */
  add(slot: number, sum: number): void {
    const heap = this.#heap;
    if (heap.length < this.#limit) {
      heap.push({ slot, sum });
      this.#rise(heap.length - 1);
    } else {
      heap[0] = { slot, sum };
      this.#sink(0);
    }
  }

  sorted(): Candidate[] {
    return this.#heap.sort((a, b) => (this.#isWorse(a, b) ? 1 : -1));
  }

  #isWorse(a: Candidate, b: Candidate): boolean {
    return a.sum !== b.sum ? a.sum < b.sum : this.#idOf(a.slot) > this.#idOf(b.slot);
  }

  #rise(start: number): void {
    for (let at = start; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfWorse(at, parent)) return;
      at = parent;
    }
  }

  #sink(start: number): void {
    const { length } = this.#heap;
    for (let at = start; ; ) {
      const left = 2 * at + 1;
      if (left >= length) return;
      const right = left + 1;
      const isRightWorse =
        right < length && this.#isWorse(this.#heap[right] as Candidate, this.#heap[left] as Candidate);
      const child = isRightWorse ? right : left;
      if (!this.#swapIfWorse(child, at)) return;
      at = child;
    }
  }

  #swapIfWorse(child: number, parent: number): boolean {
    const [below, above] = [this.#heap[child] as Candidate, this.#heap[parent] as Candidate];
    if (!this.#isWorse(below, above)) return false;
    this.#heap[parent] = below;
    this.#heap[child] = above;
    return true;
  }
}
