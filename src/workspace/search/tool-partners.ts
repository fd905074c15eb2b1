/** How many capabilities are noted for one tool, and how many tools of one capability. */
const MAX_USERS = 200;
const MAX_TOOLS = 20;

/** Knows which tools capabilities use together. */
export class ToolPartners {
  readonly #tools = new Map<string, readonly string[]>();
  readonly #users = new Map<string, Set<string>>();

  put(id: string, tools: readonly string[]): void {
    this.remove(id);
    if (tools.length < 2 || tools.length > MAX_TOOLS) return;
    this.#tools.set(id, tools);
    for (const tool of tools) {
      const users = this.#users.get(tool) ?? new Set();
      if (users.size < MAX_USERS) this.#users.set(tool, users.add(id));
    }
  }

  remove(id: string): void {
    for (const tool of this.#tools.get(id) ?? []) {
      const users = this.#users.get(tool);
      users?.delete(id);
      if (users?.size === 0) this.#users.delete(tool);
    }
    this.#tools.delete(id);
  }

  /**
   * Scores the other tools that capabilities use together with this one, by the sum of the capabilities' weights. A
   * capability of weight 0, such as one that must stay hidden, does not count.
   */
  of(tool: string, weightOf: (id: string) => number): Map<string, number> {
    const counts = new Map<string, number>();
    for (const id of this.#users.get(tool) ?? []) {
      const weight = weightOf(id);
      if (weight <= 0) continue;
      for (const other of this.#tools.get(id) ?? [])
        if (other !== tool) counts.set(other, (counts.get(other) ?? 0) + weight);
    }
    return counts;
  }
}
