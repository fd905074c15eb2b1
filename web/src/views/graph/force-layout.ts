/** The input of the layout: how many nodes there are, and which of them are joined. */
export interface LayoutInput {
  count: number;
  /** Pairs of node numbers, one after the other. */
  edges: Uint32Array;
  /** The group of each node, such as its server: nodes of one group begin together. */
  groups: Uint32Array;
}

const IDEAL = 42;
const GRAVITY = 0.012;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** Places nodes so that joined ones are near and no two overlap. Each step is linear in nodes and edges. */
export class ForceLayout {
  /** x and y of each node, one after the other. */
  readonly positions: Float32Array;
  readonly #input: LayoutInput;
  readonly #moves: Float32Array;
  readonly #degrees: Uint32Array;
  #heat = 1;

  constructor(input: LayoutInput) {
    this.#input = input;
    this.positions = new Float32Array(input.count * 2);
    this.#moves = new Float32Array(input.count * 2);
    this.#degrees = new Uint32Array(input.count);
    for (const node of input.edges) this.#degrees[node] = (this.#degrees[node] ?? 0) + 1;
    this.#placeGroups();
  }

  /** Moves every node once. Returns how warm the layout still is: it ends near 0. */
  step(): number {
    this.#moves.fill(0);
    this.#repel();
    this.#attract();
    this.#move();
    this.#heat *= 0.985;
    return this.#heat;
  }

  /** Each group begins as a sunflower of its own, and the groups as a larger one. */
  #placeGroups(): void {
    const sizes = new Map<number, number>();
    for (const group of this.#input.groups) sizes.set(group, (sizes.get(group) ?? 0) + 1);
    const spread = IDEAL * Math.sqrt(this.#input.count / Math.max(1, sizes.size)) * 1.3;
    const seen = new Map<number, number>();
    for (let node = 0; node < this.#input.count; node++) {
      const group = this.#input.groups[node] as number;
      const rank = seen.get(group) ?? 0;
      seen.set(group, rank + 1);
      const far = spread * Math.sqrt(group);
      const near = IDEAL * 0.6 * Math.sqrt(rank);
      this.positions[2 * node] = far * Math.cos(group * GOLDEN_ANGLE) + near * Math.cos(rank * GOLDEN_ANGLE);
      this.positions[2 * node + 1] =
        far * Math.sin(group * GOLDEN_ANGLE) + near * Math.sin(rank * GOLDEN_ANGLE);
    }
  }

  /** Only neighbours in a grid push each other away: pushing all pairs would take the square of the nodes. */
  #repel(): void {
    const cells = this.#cells();
    for (let node = 0; node < this.#input.count; node++) {
      const x = this.positions[2 * node] as number;
      const y = this.positions[2 * node + 1] as number;
      const [column, row] = [cellOf(x), cellOf(y)];
      for (let dx = -1; dx <= 1; dx++) {
        for (let dy = -1; dy <= 1; dy++) {
          for (const other of cells.get(keyOf(column + dx, row + dy)) ?? []) this.#push(node, other, x, y);
        }
      }
    }
  }

  #cells(): Map<number, number[]> {
    const cells = new Map<number, number[]>();
    for (let node = 0; node < this.#input.count; node++) {
      const key = keyOf(
        cellOf(this.positions[2 * node] as number),
        cellOf(this.positions[2 * node + 1] as number),
      );
      const cell = cells.get(key);
      if (!cell) cells.set(key, [node]);
      // A crowded cell is spread by some of its nodes; all of them would take the square again.
      else if (cell.length < 40) cell.push(node);
    }
    return cells;
  }

  #push(node: number, other: number, x: number, y: number): void {
    if (node === other) return;
    // Nodes at one place are pushed apart by their numbers.
    const dx = x - (this.positions[2 * other] as number) || (node - other) * 0.01;
    const dy = y - (this.positions[2 * other + 1] as number) || (other - node) * 0.01;
    const squared = dx * dx + dy * dy + 1;
    if (squared > 4 * IDEAL * IDEAL) return;
    const force = (IDEAL * IDEAL) / squared;
    this.#moves[2 * node] = (this.#moves[2 * node] as number) + dx * force;
    this.#moves[2 * node + 1] = (this.#moves[2 * node + 1] as number) + dy * force;
  }

  #attract(): void {
    const { edges } = this.#input;
    for (let edge = 0; edge < edges.length; edge += 2) {
      const [from, to] = [edges[edge] as number, edges[edge + 1] as number];
      const dx = (this.positions[2 * to] as number) - (this.positions[2 * from] as number);
      const dy = (this.positions[2 * to + 1] as number) - (this.positions[2 * from + 1] as number);
      this.#pull(from, dx, dy);
      this.#pull(to, -dx, -dy);
    }
  }

  /** A node with many edges is pulled less by each of them. */
  #pull(node: number, dx: number, dy: number): void {
    const share = 0.35 / Math.sqrt(this.#degrees[node] ?? 1);
    this.#moves[2 * node] = (this.#moves[2 * node] as number) + dx * share;
    this.#moves[2 * node + 1] = (this.#moves[2 * node + 1] as number) + dy * share;
  }

  #move(): void {
    const most = IDEAL * 1.5 * this.#heat + 0.5;
    for (let at = 0; at < this.positions.length; at += 2) {
      const x = this.positions[at] as number;
      const y = this.positions[at + 1] as number;
      const dx = (this.#moves[at] as number) - x * GRAVITY;
      const dy = (this.#moves[at + 1] as number) - y * GRAVITY;
      const length = Math.hypot(dx, dy) || 1;
      const step = Math.min(length * 0.3, most) / length;
      this.positions[at] = x + dx * step;
      this.positions[at + 1] = y + dy * step;
    }
  }
}

function cellOf(value: number): number {
  return Math.floor(value / (2 * IDEAL));
}

function keyOf(column: number, row: number): number {
  return column * 100_003 + row;
}
