import { Lane, type Party, type Ticket } from './lane.ts';

/** Most runs that a lane lends beyond its places. */
const MAX_RESERVE = 8;
/** Nested runs of one principal at one time, over all depths, for each place of a lane. */
const NESTED_PER_PLACE = 2;
/** Runs that one principal may have waiting, and what the host holds for them. */
const MOST_WAITING = { runs: 1_000, bytes: 64 * 1024 * 1024 };

/**
 * Says which run is next. The principal with the fewest runs under way comes first, then its session with the fewest,
 * then whoever has waited for a turn the longest; the runs of one session keep their order.
 *
 * Runs that sleep or compute may hold every place for as long as a run may take. So a session that has no run under
 * way may start one beyond the places; the next place that comes free pays it back. If its principal has had its even
 * share already, it may only use half of what can be lent.
 */
export class FairQueue<T extends Ticket> {
  /** By depth. Nested runs have places of their own, else the runs that wait for them could take them all. */
  readonly #lanes: Lane<T>[] = [];
  /** Runs under way at depth 1 and below, by principal. */
  readonly #nested = new Map<string, number>();
  #places: number;

  /** `places` is how many runs may go on at each depth. */
  constructor(places: number) {
    this.#places = places;
  }

  /** Those under way go on. */
  resize(places: number): void {
    this.#places = places;
  }

  get waiting(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.waiting, 0);
  }

  /** Whether a run that waits is more than its session may have waiting. Nested runs are bounded by those that call them. */
  isCrowded(ticket: T): boolean {
    return ticket.depth === 0 && this.#laneOf(0).isCrowded(ticket, MOST_WAITING);
  }

  add(ticket: T): void {
    this.#laneOf(ticket.depth).add(ticket);
  }

  /** A run gives up waiting. */
  remove(ticket: T): void {
    this.#laneOf(ticket.depth).remove(ticket);
  }

  /** The next run that may start, which counts as under way from now on. */
  admit(): T | undefined {
    // Nested runs first: runs under way wait for them.
    for (let depth = this.#lanes.length - 1; depth >= 0; depth--) {
      const lane = this.#laneOf(depth);
      if (lane.waiting === 0) continue;
      const next = lane.admit(
        (name, principal, session) =>
          (depth === 0 || this.#mayNest(name, principal)) && this.#hasRoom(lane, principal, session),
      );
      if (!next) continue;
      this.#countNested(next, 1);
      return next;
    }
    return undefined;
  }

  /** A run that was admitted is over. */
  release(ticket: T): void {
    this.#laneOf(ticket.depth).release(ticket);
    this.#countNested(ticket, -1);
  }

  #hasRoom(lane: Lane<T>, principal: Party, session: Party): boolean {
    if (lane.active < this.#places) return true;
    if (session.active > 0) return false;
    const reserve = Math.max(2, Math.min(this.#places, MAX_RESERVE));
    const isShort = principal.active < this.#places / lane.principals;
    return lane.active < this.#places + (isShort ? reserve : reserve / 2);
  }

  /** One at each depth always may, so that the deepest runs end and those that wait for them go on. */
  #mayNest(name: string, principal: Party): boolean {
    return principal.active === 0 || (this.#nested.get(name) ?? 0) < NESTED_PER_PLACE * this.#places;
  }

  #countNested({ depth, share }: T, change: 1 | -1): void {
    if (depth === 0) return;
    const count = (this.#nested.get(share.principal) ?? 0) + change;
    if (count > 0) this.#nested.set(share.principal, count);
    else this.#nested.delete(share.principal);
  }

  #laneOf(depth: number): Lane<T> {
    while (this.#lanes.length <= depth) this.#lanes.push(new Lane());
    return this.#lanes[depth] as Lane<T>;
  }
}
