import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/**
 * Hands messages on in their order, with a turn of the event loop after each notification. The SDK handles a
 * notification a moment after it is given it but an answer at once: without the pause an answer that arrives together
 * with its last progress would overtake it, and the progress would be lost.
 */
export class Inbox {
  readonly #deliver: (message: JSONRPCMessage) => void;
  #waiting: JSONRPCMessage[] = [];
  #next = 0;
  #pausing = false;

  constructor(deliver: (message: JSONRPCMessage) => void) {
    this.#deliver = deliver;
  }

  add(message: JSONRPCMessage): void {
    if (this.#pausing) this.#waiting.push(message);
    else this.#hand(message);
  }

  #hand(message: JSONRPCMessage): void {
    if ('method' in message && !('id' in message)) {
      this.#pausing = true;
      setImmediate(() => this.#goOn());
    }
    this.#deliver(message);
  }

  /** Walks the queue instead of shifting it: a server may send thousands of notifications at once. */
  #goOn(): void {
    this.#pausing = false;
    while (!this.#pausing && this.#next < this.#waiting.length) {
      this.#hand(this.#waiting[this.#next++] as JSONRPCMessage);
    }
    if (this.#next < this.#waiting.length) return;
    this.#waiting = [];
    this.#next = 0;
  }
}
