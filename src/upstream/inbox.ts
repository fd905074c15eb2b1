import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

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

/** Puts an inbox before whoever listens to a transport of the SDK that hands on all it has read in one go. */
export function inOrder(transport: Transport): Transport {
  let handler: Transport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    get: () => handler,
    set: (listener: Transport['onmessage']) => {
      const inbox = listener && new Inbox((message) => listener(message));
      handler = inbox && ((message) => inbox.add(message));
    },
  });
  return transport;
}
