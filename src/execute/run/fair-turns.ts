/** How many acts go on at a time: of each principal, and of all together. */
export interface TurnLimits {
  readonly each: number;
  readonly all: number;
}

/** Lets a few acts of each principal go on at a time; principals that wait take turns. */
export class FairTurns {
  readonly #limits: TurnLimits;
  readonly #active = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();
  #total = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  async run<T>(principal: string, act: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      const waiting = this.#waiting.get(principal) ?? [];
      waiting.push(begin);
      this.#waiting.set(principal, waiting);
      this.#beginNext();
    });
    try {
      return await act();
    } finally {
      this.#count(principal, -1);
      this.#beginNext();
    }
  }

  #beginNext(): void {
    for (const [principal, waiting] of this.#waiting) {
      if (this.#total >= this.#limits.all) return;
      if ((this.#active.get(principal) ?? 0) >= this.#limits.each) continue;
      this.#count(principal, 1);
      waiting.shift()?.();
      // Whoever has had a turn goes to the end, where this loop comes to it again.
      this.#waiting.delete(principal);
      if (waiting.length > 0) this.#waiting.set(principal, waiting);
    }
  }

  #count(principal: string, change: 1 | -1): void {
    this.#total += change;
    const count = (this.#active.get(principal) ?? 0) + change;
    if (count > 0) this.#active.set(principal, count);
    else this.#active.delete(principal);
  }
}
