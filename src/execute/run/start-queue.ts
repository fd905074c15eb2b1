import type { RunOwner } from '../../sandbox/index.ts';

/** Runs that start in one turn of the event loop. Each costs about a millisecond before its code is in the sandbox. */
const STARTS_PER_TURN = 2;

type Waiting = (() => void)[];

/**
 * Starts a few runs per turn of the event loop, round-robin over principals and, within one, over its sessions. A
 * client may send thousands of calls in one write, and parsing and resolving them all at once would block everybody.
 */
export class StartQueue {
  readonly #principals = new Map<string, Map<string, Waiting>>();
  #startedInTurn = 0;
  #nextTurn: NodeJS.Immediate | undefined;

  /** Settles when this run may start; undefined if it may start at once. */
  wait({ principal, session }: RunOwner): Promise<void> | undefined {
    this.#nextTurn ??= setImmediate(() => this.#startNext());
    if (this.#startedInTurn < STARTS_PER_TURN && this.#principals.size === 0) {
      this.#startedInTurn += 1;
      return undefined;
    }
    const sessions = this.#principals.get(principal) ?? new Map<string, Waiting>();
    const waiting = sessions.get(session) ?? [];
    this.#principals.set(principal, sessions);
    sessions.set(session, waiting);
    return new Promise((resolve) => waiting.push(resolve));
  }

  #startNext(): void {
    this.#nextTurn = undefined;
    this.#startedInTurn = 0;
    for (; this.#startedInTurn < STARTS_PER_TURN && this.#principals.size > 0; this.#startedInTurn++) {
      rotate(this.#principals, (sessions) => {
        rotate(sessions, (waiting) => {
          waiting.shift()?.();
          return waiting.length > 0;
        });
        return sessions.size > 0;
      });
    }
    if (this.#startedInTurn > 0) this.#nextTurn = setImmediate(() => this.#startNext());
  }
}

/** Serves the first entry, and moves it to the end if `serve` says that it has more. */
function rotate<T>(queue: Map<string, T>, serve: (first: T) => boolean): void {
  const [key, first] = queue.entries().next().value as [string, T];
  queue.delete(key);
  if (serve(first)) queue.set(key, first);
}
