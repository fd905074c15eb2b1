import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { TokenBucket } from '../../token-bucket.ts';
import { EventMeter } from './event-meter.ts';
import { MAX_MESSAGE_BYTES } from './message-size.ts';
import { MessageThrottle } from './message-throttle.ts';

/** Bytes held in memory of all answers that are being read from one server. */
const MAX_HELD_BYTES = 4 * MAX_MESSAGE_BYTES;
/** The SDK processes all messages of a batch in one turn. PML never requests a batch. */
const MAX_BATCH_BYTES = 512 * 1024;
/** Enough of an error response to see what is wrong. */
const MAX_ERROR_BYTES = 64 * 1024;
/** The rate at which a server's streams may be opened again after it closes them. */
const STREAMS_PER_SECOND = 2;
const STREAM_RESERVE = 30;
/** A chunk with this many lines is passed on in pieces. */
const MANY_LINES = 32;
const PIECE_BYTES = 8 * 1024;
const OPENING_BRACKET = 0x5b;
/** Marks a request whose response has arrived already. It is never sent. */
const ARRIVED = 'pml-arrived';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;
type Body = ReadableStream<Uint8Array>;
type Read = () => Promise<Uint8Array | undefined>;

/** Counts the bytes of a body that are held in memory. */
export interface HeldBody {
  /** Throws, and closes the connection, if they are too many. */
  add(chunk: Uint8Array): void;
  release(): void;
}

/** Limits a server that is reached over HTTP as `StdioTransport` limits one that runs as a process. */
export class HttpLimits {
  /** Why PML closed the connection, if it did. */
  closeReason: string | undefined;
  readonly #throttle: MessageThrottle;
  readonly #streams = new TokenBucket(STREAMS_PER_SECOND, STREAM_RESERVE);
  #transport: Transport | undefined;
  #listener: Transport['onmessage'];
  #resumed: PromiseWithResolvers<void> | undefined;
  /** Bytes of messages that have arrived only in part. */
  #heldBytes = 0;
  readonly #arrived = new Map<string, Response>();
  #lastArrived = 0;

  constructor() {
    this.#throttle = new MessageThrottle({
      deliver: (message) => this.#listener?.(message),
      onFull: () => {
        this.#resumed = Promise.withResolvers();
      },
      onFree: () => this.#resume(),
    });
  }

  /** Puts the throttle between the SDK's transport and its listener. */
  applyTo(transport: Transport): Transport {
    this.#transport = transport;
    Object.defineProperty(transport, 'onmessage', {
      get: () => this.#listener && ((message: JSONRPCMessage) => this.#throttle.add(message)),
      set: (listener: Transport['onmessage']) => {
        this.#listener = listener;
      },
    });
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      this.#throttle.sent(message);
      const sent = send(message, options);
      sent.catch(() => this.#throttle.forget(message));
      return sent;
    };
    const close = transport.close.bind(transport);
    transport.close = () => {
      this.#throttle.close();
      this.#resume();
      return close();
    };
    return transport;
  }

  readonly fetch: Fetch = async (url, init) => {
    if (init?.method === undefined || init.method === 'GET') await this.#paceStreams();
    const response = this.#takeArrived(init) ?? (await fetch(url, init));
    if (!response.body || isKnownSmall(response)) return response;
    const limited = new Response(this.#limit(response, response.body), response);
    Object.defineProperty(limited, 'url', { value: response.url });
    return limited;
  };

  /** Passes on a message that did not come through the SDK's transport. */
  receive(message: JSONRPCMessage, bytes: number): void {
    this.#throttle.add(message, bytes);
  }

  /** Returns the header with which the SDK's next request gets this response instead of being sent. */
  handOver(response: Response): Record<string, string> {
    const key = String(++this.#lastArrived);
    this.#arrived.set(key, response);
    return { [ARRIVED]: key };
  }

  holdBody(): HeldBody {
    let bytes = 0;
    let max = MAX_MESSAGE_BYTES;
    return {
      add: (chunk) => {
        if (bytes === 0 && chunk[0] === OPENING_BRACKET) max = MAX_BATCH_BYTES;
        bytes += chunk.length;
        this.#heldBytes += chunk.length;
        this.#check(bytes, max);
      },
      release: () => {
        this.#heldBytes -= bytes;
        bytes = 0;
      },
    };
  }

  #takeArrived(init: RequestInit | undefined): Response | undefined {
    const headers = init?.headers;
    const key = headers instanceof Headers ? headers.get(ARRIVED) : null;
    if (!(headers instanceof Headers) || key === null) return undefined;
    // A redirect sends the request again, to another address.
    headers.delete(ARRIVED);
    const response = this.#arrived.get(key);
    this.#arrived.delete(key);
    return response;
  }

  #resume(): void {
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  async #paceStreams(): Promise<void> {
    if (this.#streams.take(1)) return;
    await new Promise((resolve) => setTimeout(resolve, this.#streams.msUntil(0)));
  }

  #limit(response: Response, body: Body): Body {
    if (!response.ok) return truncate(body, MAX_ERROR_BYTES);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    return isStream ? this.#limitEvents(body) : this.#limitBody(body);
  }

  #limitEvents(body: Body): Body {
    const meter = new EventMeter();
    let unsent: Uint8Array | undefined;
    const next = async (read: Read) => {
      await this.#resumed?.promise;
      if (unsent) {
        // The parser takes a whole turn of the event loop for a piece; other work gets a turn in between.
        await nextTurn();
        return nextPiece();
      }
      const chunk = await read();
      if (!chunk) return undefined;
      const before = meter.held;
      const lines = meter.add(chunk);
      this.#throttle.countEmptyLines(lines);
      this.#heldBytes += meter.held - before;
      this.#check(meter.held, MAX_MESSAGE_BYTES);
      if (lines < MANY_LINES) return chunk;
      unsent = chunk;
      return nextPiece();
    };
    const nextPiece = () => {
      const piece = unsent?.subarray(0, PIECE_BYTES);
      unsent = unsent && unsent.length > PIECE_BYTES ? unsent.subarray(PIECE_BYTES) : undefined;
      return piece;
    };
    return mapChunks(body, next, () => {
      this.#heldBytes -= meter.held;
    });
  }

  #limitBody(body: Body): Body {
    const held = this.holdBody();
    const next = async (read: Read) => {
      const chunk = await read();
      if (chunk) held.add(chunk);
      return chunk;
    };
    return mapChunks(body, next, () => held.release());
  }

  #check(bytes: number, max: number): void {
    if (bytes <= max && this.#heldBytes <= MAX_HELD_BYTES) return;
    this.closeReason ??= 'sent a message that is too large, and was disconnected';
    // Without this, calls that wait for an answer on this or another stream would never end.
    void this.#transport?.close().catch(() => {});
    throw new Error(this.closeReason);
  }
}

/** Trusts a declared length, since fetch checks the body against it. */
function isKnownSmall({ headers, ok }: Response): boolean {
  const length = headers.get('content-length');
  return ok && length !== null && Number(length) <= MAX_BATCH_BYTES && !headers.has('content-encoding');
}

/** Returns the same body with each chunk passed through `next`. Reads nothing ahead. */
function mapChunks(
  body: Body,
  next: (read: Read) => Promise<Uint8Array | undefined>,
  onEnd: () => void,
): Body {
  const reader = body.getReader();
  const read = async () => (await reader.read()).value;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = await next(read);
          if (chunk) return controller.enqueue(chunk);
          onEnd();
          controller.close();
        } catch (error) {
          onEnd();
          void reader.cancel(error).catch(() => {});
          throw error;
        }
      },
      async cancel(reason) {
        onEnd();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function truncate(body: Body, bytes: number): Body {
  let left = bytes;
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value } = await reader.read();
      if (value) controller.enqueue(value.subarray(0, left));
      left -= value?.length ?? left;
      if (left > 0) return;
      controller.close();
      void reader.cancel().catch(() => {});
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
