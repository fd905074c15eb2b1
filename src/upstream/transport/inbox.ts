import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { TokenBucket } from '../../token-bucket.ts';

/** What nobody asked for costs a unit a message, and one for each half KiB of it. */
const UNIT_BYTES = 512;
/** A busy server stays below this rate for hours; a burst in one call may be as large as the reserve. */
const UNITS_PER_SECOND = 1000;
const RESERVE = 12_000;
/** A server that has used up its reserve is read from again when it has so many units. */
const RESUME_UNITS = 50;
/** No more is read before these have been handed on. */
const MAX_WAITING = 64;
const MAX_AWAITED = 10_000;

export interface InboxOptions {
  deliver: (message: JSONRPCMessage) => void;
  /** Nothing more should be read until `onFree`. What has been read already is still taken. */
  onFull: () => void;
  onFree: () => void;
}

/**
 * Hands messages on in their order, with a turn of the event loop after each that is no answer. The SDK handles a
 * notification a moment after it is given it but an answer at once: without the pause an answer that arrives together
 * with its last progress would overtake it, and the progress would be lost. And others get their turn between two.
 *
 * A server that says more than anybody can need is read more slowly. Nothing is lost by that: it waits in the pipe, and so
 * does the server.
 */
export class Inbox {
  /** Grows with all that the server says unasked. */
  spent = 0;
  readonly #options: InboxOptions;
  readonly #units = new TokenBucket(UNITS_PER_SECOND, RESERVE);
  /** Ids of requests that were sent and are not answered yet. */
  readonly #awaited = new Set<string>();
  #waiting: JSONRPCMessage[] = [];
  #next = 0;
  #pausing = false;
  #isFull = false;
  #recovery: NodeJS.Timeout | undefined;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** Takes note of what is sent to the server, to tell the answers that are awaited from others. */
  sent(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) this.#await(String(message.id));
    else if (message.method === 'notifications/cancelled')
      this.#awaited.delete(String(message.params?.requestId));
  }

  /** Takes a message of so many bytes; counts them where that is not known and matters. */
  add(message: JSONRPCMessage, bytes?: number): void {
    const isAnswer = !('method' in message);
    const isAwaited = isAnswer && this.#awaited.delete(String(message.id));
    if (!isAwaited) this.#spend(1 + (bytes ?? JSON.stringify(message).length) / UNIT_BYTES);
    // An answer to no question is not handed on: the SDK would only complain, and quote it whole. It judges those without
    // an id, which some servers give to what they do not understand.
    if (isAnswer && !isAwaited && message.id != null) return;
    if (this.#pausing) this.#waiting.push(message);
    else this.#hand(message);
    this.#settle();
  }

  /** Counts a line that is no message. */
  reject(bytes: number): void {
    this.#spend(1 + bytes / UNIT_BYTES);
  }

  /** Counts lines that say nothing but have to be read, such as empty ones. */
  passOver(lines: number): void {
    this.#spend(lines / UNIT_BYTES);
  }

  close(): void {
    clearTimeout(this.#recovery);
  }

  #spend(units: number): void {
    this.spent += units;
    if (this.#units.take(units) || this.#recovery) return;
    const recover = () => {
      this.#recovery = undefined;
      this.#settle();
    };
    this.#recovery = setTimeout(recover, this.#units.msUntil(RESUME_UNITS));
    this.#settle();
  }

  #await(id: string): void {
    // Those that were given up over HTTP are taken back by no message.
    if (this.#awaited.size === MAX_AWAITED) this.#awaited.delete(this.#awaited.keys().next().value as string);
    this.#awaited.add(id);
  }

  #hand(message: JSONRPCMessage): void {
    if ('method' in message) {
      this.#pausing = true;
      setImmediate(() => this.#goOn());
    }
    this.#options.deliver(message);
  }

  #goOn(): void {
    this.#pausing = false;
    while (!this.#pausing && this.#next < this.#waiting.length) {
      this.#hand(this.#waiting[this.#next++] as JSONRPCMessage);
    }
    // Not shifted one by one, which would move all the others each time.
    if (this.#next === this.#waiting.length || this.#next >= MAX_WAITING) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    this.#settle();
  }

  #settle(): void {
    const isFull = this.#recovery !== undefined || this.#waiting.length - this.#next >= MAX_WAITING;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    if (isFull) this.#options.onFull();
    else this.#options.onFree();
  }
}
