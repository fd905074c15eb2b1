import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { TokenBucket } from '../../token-bucket.ts';

/** An unrequested message costs one unit, and one more for each half KiB. */
const UNIT_BYTES = 512;
/** A busy server stays below this rate for hours; a burst within one call may use the reserve. */
const UNITS_PER_SECOND = 1000;
const RESERVE = 12_000;
/** Reading resumes when a server that used up its reserve has this many units again. */
const RESUME_UNITS = 50;
/** Reading pauses while this many messages wait for delivery. */
const MAX_WAITING = 64;
const MAX_OPEN_REQUESTS = 10_000;

export interface ThrottleOptions {
  deliver: (message: JSONRPCMessage) => void;
  /** Reading should pause until `onFree`. Messages that have been read already may still be added. */
  onFull: () => void;
  onFree: () => void;
}

/**
 * Delivers messages in order, with a turn of the event loop after each that is no answer. The SDK handles an answer at
 * once but a notification a moment later: without the pause, an answer that arrives together with its last progress
 * would overtake it, and the progress would be lost. Other work gets a turn in between.
 *
 * A server that sends too much is read more slowly. Nothing is lost: the data waits in the pipe, and the server with it.
 */
export class MessageThrottle {
  /** Units that the server has used for unrequested messages. */
  spent = 0;
  readonly #options: ThrottleOptions;
  readonly #units = new TokenBucket(UNITS_PER_SECOND, RESERVE);
  /** Ids of requests that are not answered yet. */
  readonly #openRequests = new Set<string>();
  #waiting: JSONRPCMessage[] = [];
  #next = 0;
  #isPausing = false;
  #isFull = false;
  #recoveryTimer: NodeJS.Timeout | undefined;

  constructor(options: ThrottleOptions) {
    this.#options = options;
  }

  /** Notes a message to the server, so that answers to open requests can be told from others. */
  sent(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) this.#addOpenRequest(String(message.id));
    else if (message.method === 'notifications/cancelled')
      this.#openRequests.delete(String(message.params?.requestId));
  }

  /** Notes that a request gets no answer: it could not be sent, or its caller has given it up. */
  forget(message: JSONRPCMessage): void {
    if ('id' in message) this.#openRequests.delete(String(message.id));
  }

  /** Adds a message. Its size is measured if it is not given and matters. */
  add(message: JSONRPCMessage, bytes?: number): void {
    const isAnswer = !('method' in message);
    const isRequested = isAnswer && this.#openRequests.delete(String(message.id));
    if (!isRequested) this.#spend(1 + (bytes ?? JSON.stringify(message).length) / UNIT_BYTES);
    // An unrequested answer is dropped: the SDK would only report it, and quote it whole. The SDK gets answers without an
    // id, which some servers send for a message that they do not understand.
    if (isAnswer && !isRequested && message.id != null) return;
    if (this.#isPausing) this.#waiting.push(message);
    else this.#deliver(message);
    this.#updateFull();
  }

  /** Counts a line that is no message. */
  countInvalidLine(bytes: number): void {
    this.#spend(1 + bytes / UNIT_BYTES);
  }

  /** Counts lines without content, which still have to be read. */
  countEmptyLines(lines: number): void {
    this.#spend(lines / UNIT_BYTES);
  }

  close(): void {
    clearTimeout(this.#recoveryTimer);
  }

  #spend(units: number): void {
    this.spent += units;
    if (this.#units.take(units) || this.#recoveryTimer) return;
    const recover = () => {
      this.#recoveryTimer = undefined;
      this.#updateFull();
    };
    this.#recoveryTimer = setTimeout(recover, this.#units.msUntil(RESUME_UNITS));
    this.#updateFull();
  }

  #addOpenRequest(id: string): void {
    // A request over HTTP may be given up once its response has begun, and nothing says so: the oldest is dropped.
    if (this.#openRequests.size === MAX_OPEN_REQUESTS)
      this.#openRequests.delete(this.#openRequests.keys().next().value as string);
    this.#openRequests.add(id);
  }

  #deliver(message: JSONRPCMessage): void {
    if ('method' in message) {
      this.#isPausing = true;
      setImmediate(() => this.#deliverWaiting());
    }
    this.#options.deliver(message);
  }

  #deliverWaiting(): void {
    this.#isPausing = false;
    while (!this.#isPausing && this.#next < this.#waiting.length) {
      this.#deliver(this.#waiting[this.#next++] as JSONRPCMessage);
    }
    // Removed in batches: to shift them one by one would move all the others each time.
    if (this.#next === this.#waiting.length || this.#next >= MAX_WAITING) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    this.#updateFull();
  }

  #updateFull(): void {
    const isFull = this.#recoveryTimer !== undefined || this.#waiting.length - this.#next >= MAX_WAITING;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    if (isFull) this.#options.onFull();
    else this.#options.onFree();
  }
}
