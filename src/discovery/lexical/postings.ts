/** The entries that hold one term, by slot, each with the term's weight in it. Sorted by slot. */
export class Postings {
  slots = new Uint32Array(2);
  weights = new Float32Array(2);
  size = 0;

  /** Adds a slot that is not there. */
  add(slot: number, weight: number): void {
    if (this.size === this.slots.length) this.#grow();
    // Slots mostly come in order, and then nothing moves.
    const at = this.#place(slot);
    this.slots.copyWithin(at + 1, at, this.size);
    this.weights.copyWithin(at + 1, at, this.size);
    this.slots[at] = slot;
    this.weights[at] = weight;
    this.size += 1;
  }

  remove(slot: number): void {
    const at = this.#place(slot);
    if (at === this.size || this.slots[at] !== slot) return;
    this.slots.copyWithin(at, at + 1, this.size);
    this.weights.copyWithin(at, at + 1, this.size);
    this.size -= 1;
  }

  /** Returns the term's weight in the entry at the slot; 0 if it does not hold the term. */
  weightAt(slot: number): number {
    const at = this.#place(slot);
    return at < this.size && this.slots[at] === slot ? (this.weights[at] as number) : 0;
  }

  /** Where the slot is, or would be. */
  #place(slot: number): number {
    let low = 0;
    let high = this.size;
    if (high > 0 && (this.slots[high - 1] as number) < slot) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.slots[middle] as number) < slot) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #grow(): void {
    const length = Math.ceil(this.size * 1.5) + 1;
    const slots = new Uint32Array(length);
    const weights = new Float32Array(length);
    slots.set(this.slots);
    weights.set(this.weights);
    this.slots = slots;
    this.weights = weights;
  }
}
