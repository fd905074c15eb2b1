import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/**
 * Hands messages on in their order, with a turn of the event loop after each notification. The SDK handles a
 * notification a moment after it is given it but an answer at once: without the pause an answer that arrives together
 * with its last progress would overtake it, and the progress would be lost.
 */
export class Inbox {
  readonly #deliver: (message: JSONRPCMessage) => void;
  #waiting: JSONRPCMessage[] | undefined;

  constructor(deliver: (message: JSONRPCMessage) => void) {
    this.#deliver = deliver;
  }

  add(message: JSONRPCMessage): void {
    if (this.#waiting) this.#waiting.push(message);
    else this.#hand(message);
  }

  #hand(message: JSONRPCMessage): void {
    if ('method' in message && !('id' in message)) {
      this.#waiting = [];
      setImmediate(() => this.#goOn());
    }
    this.#deliver(message);
  }

  #goOn(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const message of waiting) this.add(message);
  }
}
