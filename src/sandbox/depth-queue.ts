/** The owner of a run. Principals share the sandbox, and the sessions of one principal share its part. */
export interface RunOwner {
  principal: string;
  session: string;
}

/** A run as the queue sees it. */
export interface QueuedRun {
  readonly owner: RunOwner;
  /** 0 for a top-level run, one more for each run above it. */
  readonly depth: number;
  /** Memory that the host holds for the run while it waits. */
  readonly bytes: number;
}

/** The state of a principal or a session at one depth. */
export interface OwnerState {
  /** Runs under way. */
  active: number;
  /** Grows with each turn: the lowest has waited the longest. */
  turn: number;
}

interface SessionState<T> extends OwnerState {
  waiting: T[];
  bytes: number;
}

interface PrincipalState<T> extends OwnerState {
  waiting: number;
  bytes: number;
  sessions: Map<string, SessionState<T>>;
}

/** The runs of one depth, by principal and session. */
export class DepthQueue<T extends QueuedRun> {
  active = 0;
  waiting = 0;
  readonly #principals = new Map<string, PrincipalState<T>>();
  #turns = 0;

  /** How many principals have runs here, waiting or under way. */
  get principals(): number {
    return this.#principals.size;
  }

  /** Returns whether the principal has more waiting than it may, and its session more than an even part of that. */
  isCrowded(run: T, max: { runs: number; bytes: number }): boolean {
    const { principal, session } = this.#statesOf(run);
    const { size } = principal.sessions;
    const inRuns = principal.waiting > max.runs && session.waiting.length > max.runs / size;
    // A principal's only waiting run is exempt: the request size bounds it. A session's is not: each modern HTTP request is one.
    const inBytes = principal.waiting > 1 && principal.bytes > max.bytes && session.bytes > max.bytes / size;
    return inRuns || inBytes;
  }

  add(run: T): void {
    const { principal, session } = this.#statesOf(run);
    if (principal.waiting === 0) principal.turn = ++this.#turns;
    if (session.waiting.length === 0) session.turn = ++this.#turns;
    session.waiting.push(run);
    principal.waiting += 1;
    principal.bytes += run.bytes;
    session.bytes += run.bytes;
    this.waiting += 1;
  }

  /** Takes out a run that gives up waiting. */
  remove(run: T): void {
    const { session } = this.#statesOf(run);
    const index = session.waiting.indexOf(run);
    if (index !== -1) this.#dequeue(run, index);
    this.#dropEmptyStates(run);
  }

  /** Returns the next run whose principal and session may start one. It counts as under way from now on. */
  admit(mayStart: (name: string, principal: OwnerState, session: OwnerState) => boolean): T | undefined {
    let first: PrincipalState<T> | undefined;
    let next: T | undefined;
    for (const [name, principal] of this.#principals) {
      if (principal.waiting === 0 || (first && !isBefore(principal, first))) continue;
      const session = nextSession(principal);
      if (!mayStart(name, principal, session)) continue;
      first = principal;
      next = session.waiting[0];
    }
    if (next) this.#start(next);
    return next;
  }

  /** Ends a run that was admitted. */
  release(run: T): void {
    const { principal, session } = this.#statesOf(run);
    this.active -= 1;
    principal.active -= 1;
    session.active -= 1;
    this.#dropEmptyStates(run);
  }

  #start(run: T): void {
    this.#dequeue(run, 0);
    this.active += 1;
    for (const state of Object.values(this.#statesOf(run))) {
      state.active += 1;
      state.turn = ++this.#turns;
    }
  }

  #dequeue(run: T, index: number): void {
    const { principal, session } = this.#statesOf(run);
    session.waiting.splice(index, 1);
    principal.waiting -= 1;
    principal.bytes -= run.bytes;
    session.bytes -= run.bytes;
    this.waiting -= 1;
  }

  #statesOf({ owner }: T): { principal: PrincipalState<T>; session: SessionState<T> } {
    let principal = this.#principals.get(owner.principal);
    if (!principal) {
      principal = { active: 0, turn: 0, waiting: 0, bytes: 0, sessions: new Map() };
      this.#principals.set(owner.principal, principal);
    }
    let session = principal.sessions.get(owner.session);
    if (!session) {
      session = { active: 0, turn: 0, waiting: [], bytes: 0 };
      principal.sessions.set(owner.session, session);
    }
    return { principal, session };
  }

  #dropEmptyStates(run: T): void {
    const { principal, session } = this.#statesOf(run);
    if (session.active === 0 && session.waiting.length === 0) principal.sessions.delete(run.owner.session);
    if (principal.sessions.size === 0) this.#principals.delete(run.owner.principal);
  }
}

function isBefore(one: OwnerState, other: OwnerState): boolean {
  return one.active < other.active || (one.active === other.active && one.turn < other.turn);
}

/** The session whose turn it is, of a principal that has a run waiting. */
function nextSession<T>({ sessions }: PrincipalState<T>): SessionState<T> {
  let first: SessionState<T> | undefined;
  for (const session of sessions.values()) {
    if (session.waiting.length > 0 && (!first || isBefore(session, first))) first = session;
  }
  return first as SessionState<T>;
}
