import type { Share } from '../sandbox/index.ts';

/** Runs that begin in one turn of the event loop. Each costs about a millisecond before its code is in the sandbox. */
const PER_TURN = 2;

type Line = (() => void)[];

/**
 * Lets a few runs begin in each turn of the event loop: principals take turns, and so do the sessions of one. A client
 * may send thousands of calls in one write, and parsing and resolving them all at once would hold up everybody.
 */
export class Turns {
  readonly #principals = new Map<string, Map<string, Line>>();
  #begun = 0;
  #next: NodeJS.Immediate | undefined;

  /** Settles when this run may begin; undefined if it may at once. */
  wait({ principal, session }: Share): Promise<void> | undefined {
    this.#next ??= setImmediate(() => this.#turn());
    if (this.#begun < PER_TURN && this.#principals.size === 0) {
      this.#begun += 1;
      return undefined;
    }
    const sessions = this.#principals.get(principal) ?? new Map<string, Line>();
    const line = sessions.get(session) ?? [];
    this.#principals.set(principal, sessions);
    sessions.set(session, line);
    return new Promise((resolve) => line.push(resolve));
  }

  #turn(): void {
    this.#next = undefined;
    for (this.#begun = 0; this.#begun < PER_TURN && this.#principals.size > 0; this.#begun++) {
      rotate(this.#principals, (sessions) => {
        rotate(sessions, (line) => {
          line.shift()?.();
          return line.length > 0;
        });
        return sessions.size > 0;
      });
    }
    if (this.#begun > 0) this.#next = setImmediate(() => this.#turn());
  }
}

/** Serves the first, which goes to the end if it has more. */
function rotate<T>(line: Map<string, T>, serve: (first: T) => boolean): void {
  const [key, first] = line.entries().next().value as [string, T];
  line.delete(key);
  if (serve(first)) line.set(key, first);
}
