/** Whose run it is: principals share the sandbox, and the sessions of one principal share its part. */
export interface Share {
  principal: string;
  session: string;
}

/** A run as the queue sees it. */
export interface Ticket {
  readonly share: Share;
  /** 0 for a run of its own, one more for each run that it is called from. */
  readonly depth: number;
  /** What the host keeps in memory for it while it waits. */
  readonly bytes: number;
}

/** The runs of a principal or a session at one depth. */
export interface Party {
  /** Under way. */
  active: number;
  /** Grows with each turn: the lowest has waited the longest. */
  turn: number;
}

interface Session<T> extends Party {
  waiting: T[];
  bytes: number;
}

interface Principal<T> extends Party {
  waiting: number;
  bytes: number;
  sessions: Map<string, Session<T>>;
}

/** The runs of one depth, by principal and session. */
export class Lane<T extends Ticket> {
  active = 0;
  waiting = 0;
  readonly #principals = new Map<string, Principal<T>>();
  #turns = 0;

  /** Principals that have runs here, waiting or under way. */
  get principals(): number {
    return this.#principals.size;
  }

  /** Whether its principal has more waiting than it may, and its session more than an even part of that. */
  isCrowded(ticket: T, most: { runs: number; bytes: number }): boolean {
    const { principal, session } = this.#partiesOf(ticket);
    const { size } = principal.sessions;
    const inRuns = principal.waiting > most.runs && session.waiting.length > most.runs / size;
    // One alone is bounded where it comes from.
    const inBytes =
      principal.bytes > most.bytes && session.bytes > most.bytes / size && session.waiting.length > 1;
    return inRuns || inBytes;
  }

  add(ticket: T): void {
    const { principal, session } = this.#partiesOf(ticket);
    if (principal.waiting === 0) principal.turn = ++this.#turns;
    if (session.waiting.length === 0) session.turn = ++this.#turns;
    session.waiting.push(ticket);
    principal.waiting += 1;
    principal.bytes += ticket.bytes;
    session.bytes += ticket.bytes;
    this.waiting += 1;
  }

  /** A run gives up waiting. */
  remove(ticket: T): void {
    const { session } = this.#partiesOf(ticket);
    const at = session.waiting.indexOf(ticket);
    if (at !== -1) this.#take(ticket, at);
    this.#forget(ticket);
  }

  /** The next run among those whose principal and session may start one. It counts as under way from now on. */
  admit(mayStart: (name: string, principal: Party, session: Party) => boolean): T | undefined {
    let first: Principal<T> | undefined;
    let next: T | undefined;
    for (const [name, principal] of this.#principals) {
      if (principal.waiting === 0 || (first && !isBefore(principal, first))) continue;
      const session = firstSession(principal);
      if (!mayStart(name, principal, session)) continue;
      first = principal;
      next = session.waiting[0];
    }
    if (next) this.#start(next);
    return next;
  }

  /** A run that was admitted is over. */
  release(ticket: T): void {
    const { principal, session } = this.#partiesOf(ticket);
    this.active -= 1;
    principal.active -= 1;
    session.active -= 1;
    this.#forget(ticket);
  }

  #start(ticket: T): void {
    this.#take(ticket, 0);
    this.active += 1;
    for (const party of Object.values(this.#partiesOf(ticket))) {
      party.active += 1;
      party.turn = ++this.#turns;
    }
  }

  #take(ticket: T, at: number): void {
    const { principal, session } = this.#partiesOf(ticket);
    session.waiting.splice(at, 1);
    principal.waiting -= 1;
    principal.bytes -= ticket.bytes;
    session.bytes -= ticket.bytes;
    this.waiting -= 1;
  }

  #partiesOf({ share }: T): { principal: Principal<T>; session: Session<T> } {
    let principal = this.#principals.get(share.principal);
    if (!principal) {
      principal = { active: 0, turn: 0, waiting: 0, bytes: 0, sessions: new Map() };
      this.#principals.set(share.principal, principal);
    }
    let session = principal.sessions.get(share.session);
    if (!session) {
      session = { active: 0, turn: 0, waiting: [], bytes: 0 };
      principal.sessions.set(share.session, session);
    }
    return { principal, session };
  }

  /** Keeps nothing of those who have no run. */
  #forget(ticket: T): void {
    const { principal, session } = this.#partiesOf(ticket);
    if (session.active === 0 && session.waiting.length === 0) principal.sessions.delete(ticket.share.session);
    if (principal.sessions.size === 0) this.#principals.delete(ticket.share.principal);
  }
}

function isBefore(one: Party, other: Party): boolean {
  return one.active < other.active || (one.active === other.active && one.turn < other.turn);
}

/** The session whose turn it is, of a principal that has one waiting. */
function firstSession<T>({ sessions }: Principal<T>): Session<T> {
  let first: Session<T> | undefined;
  for (const session of sessions.values()) {
    if (session.waiting.length > 0 && (!first || isBefore(session, first))) first = session;
  }
  return first as Session<T>;
}
