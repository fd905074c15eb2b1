import { randomUUID } from 'node:crypto';
import { PmlError } from '../../errors.ts';

/** How many decisions can be taken back. */
const KEPT = 500;

/** Undoes decisions, for as long as their HTTP server is open. Each can be undone once. */
export class UndoLog {
  readonly #acts = new Map<string, () => Promise<void>>();

  /** Keeps an act that undoes a decision, and returns the token to call it with. */
  keep(act: () => Promise<void>): string {
    const token = randomUUID();
    if (this.#acts.size >= KEPT) this.#acts.delete(this.#acts.keys().next().value as string);
    this.#acts.set(token, act);
    return token;
  }

  async undo(token: string): Promise<void> {
    const act = this.#acts.get(token);
    if (!act) throw new PmlError('bad_request', 'This can no longer be taken back.');
    this.#acts.delete(token);
    try {
      await act();
    } catch (error) {
      // The database may have been unreachable: the user can try again.
      this.#acts.set(token, act);
      throw error;
    }
  }
}
