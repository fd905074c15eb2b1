import { DepthQueue, type OwnerState, type QueuedRun } from './depth-queue.ts';

/** How many runs of one depth may start beyond the places, at most. */
const MAX_RESERVE = 8;
/** How many nested runs one principal may have at one time, over all depths, for each place. */
const NESTED_PER_PLACE = 2;
/** Runs that one principal may have waiting, and the memory that the host holds for them. */
const MAX_WAITING = { runs: 1_000, bytes: 64 * 1024 * 1024 };

/**
 * Chooses the next run. The principal with the fewest runs under way comes first, then its session with the fewest,
 * then whoever has waited for a turn the longest; the runs of one session keep their order.
 *
 * Runs that sleep or compute may hold every place for as long as a run may take. So a session that has no run under
 * way may start one beyond the places, from a reserve; the next place that comes free pays it back. A principal that
 * already has its even share may use only half of the reserve.
 */
export class FairQueue<T extends QueuedRun> {
  /** Nested runs have places of their own, else the runs that wait for them could take them all. */
  readonly #queuesByDepth: DepthQueue<T>[] = [];
  /** Runs under way at depth 1 and below, by principal. */
  readonly #nested = new Map<string, number>();
  #places: number;

  /** `places` is how many runs may go on at each depth. */
  constructor(places: number) {
    this.#places = places;
  }

  /** Changes the number of places. Runs that hold a place keep it. */
  resize(places: number): void {
    this.#places = places;
  }

  get waiting(): number {
    return this.#queuesByDepth.reduce((sum, queue) => sum + queue.waiting, 0);
  }

  /** Returns whether too many runs of this run's principal and session wait. Nested runs are bounded by their callers. */
  isCrowded(run: T): boolean {
    return run.depth === 0 && this.#queueOf(0).isCrowded(run, MAX_WAITING);
  }

  add(run: T): void {
    this.#queueOf(run.depth).add(run);
  }

  /** Takes out a run that gives up waiting. */
  remove(run: T): void {
    this.#queueOf(run.depth).remove(run);
  }

  /** Returns the next run that may start, which counts as under way from now on. */
  admit(): T | undefined {
    // Nested runs first: runs under way wait for them.
    for (let depth = this.#queuesByDepth.length - 1; depth >= 0; depth--) {
      const queue = this.#queueOf(depth);
      if (queue.waiting === 0) continue;
      const next = queue.admit(
        (name, principal, session) =>
          (depth === 0 || this.#mayNest(name, principal)) && this.#hasRoom(queue, principal, session),
      );
      if (!next) continue;
      this.#countNested(next, 1);
      return next;
    }
    return undefined;
  }

  /** Ends a run that was admitted. */
  release(run: T): void {
    this.#queueOf(run.depth).release(run);
    this.#countNested(run, -1);
  }

  #hasRoom(queue: DepthQueue<T>, principal: OwnerState, session: OwnerState): boolean {
    if (queue.active < this.#places) return true;
    if (session.active > 0) return false;
    const reserve = Math.max(2, Math.min(this.#places, MAX_RESERVE));
    const isBelowShare = principal.active < this.#places / queue.principals;
    return queue.active < this.#places + (isBelowShare ? reserve : reserve / 2);
  }

  /** Exempts a principal's first run at each depth from its nested limit, so that the deepest runs end and their callers go on. */
  #mayNest(name: string, principal: OwnerState): boolean {
    return principal.active === 0 || (this.#nested.get(name) ?? 0) < NESTED_PER_PLACE * this.#places;
  }

  #countNested({ depth, owner }: T, change: 1 | -1): void {
    if (depth === 0) return;
    const count = (this.#nested.get(owner.principal) ?? 0) + change;
    if (count > 0) this.#nested.set(owner.principal, count);
    else this.#nested.delete(owner.principal);
  }

  #queueOf(depth: number): DepthQueue<T> {
    while (this.#queuesByDepth.length <= depth) this.#queuesByDepth.push(new DepthQueue());
    return this.#queuesByDepth[depth] as DepthQueue<T>;
  }
}
