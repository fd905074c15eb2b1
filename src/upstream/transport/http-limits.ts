import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { TokenBucket } from '../../token-bucket.ts';
import { EventMeter } from './event-meter.ts';
import { Inbox } from './inbox.ts';
import { MAX_MESSAGE_BYTES } from './message-size.ts';

/** Of all answers that are being read from one server. */
const MAX_HELD_BYTES = 4 * MAX_MESSAGE_BYTES;
/** The SDK reads all messages of a batch in one go. No request of PML's asks for one. */
const MAX_BATCH_BYTES = 512 * 1024;
/** Enough of a refusal's text to see what is wrong. */
const MAX_REFUSAL_BYTES = 64 * 1024;
/** A server may close its streams and ask for them to be opened again, but not without end. */
const STREAMS_PER_SECOND = 2;
const STREAM_RESERVE = 30;
/** A chunk with so many lines is handed on in pieces. */
const MANY_LINES = 32;
const PIECE_BYTES = 8 * 1024;
const OPENING_BRACKET = 0x5b;

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;
type Body = ReadableStream<Uint8Array>;
type Read = () => Promise<Uint8Array | undefined>;

/** Holds a server that is reached over HTTP to the limits of one that runs as a process. */
export class HttpLimits {
  /** Why PML ended the connection, if it did. */
  ending: string | undefined;
  readonly #inbox: Inbox;
  readonly #streams = new TokenBucket(STREAMS_PER_SECOND, STREAM_RESERVE);
  #transport: Transport | undefined;
  #listener: Transport['onmessage'];
  #free: PromiseWithResolvers<void> | undefined;
  /** Bytes of messages that have not arrived whole. */
  #held = 0;

  constructor() {
    this.#inbox = new Inbox({
      deliver: (message) => this.#listener?.(message),
      onFull: () => {
        this.#free = Promise.withResolvers();
      },
      onFree: () => this.#open(),
    });
  }

  /** Puts the inbox between the SDK's transport and whoever listens to it. */
  guard(transport: Transport): Transport {
    this.#transport = transport;
    Object.defineProperty(transport, 'onmessage', {
      get: () => this.#listener && ((message: JSONRPCMessage) => this.#inbox.add(message)),
      set: (listener: Transport['onmessage']) => {
        this.#listener = listener;
      },
    });
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      this.#inbox.sent(message);
      return send(message, options);
    };
    const close = transport.close.bind(transport);
    transport.close = () => {
      this.#inbox.close();
      this.#open();
      return close();
    };
    return transport;
  }

  readonly fetch: Fetch = async (url, init) => {
    if (init?.method === undefined || init.method === 'GET') await this.#paceStreams();
    const response = await fetch(url, init);
    if (!response.body || isKnownSmall(response)) return response;
    const limited = new Response(this.#limit(response, response.body), response);
    Object.defineProperty(limited, 'url', { value: response.url });
    return limited;
  };

  #open(): void {
    this.#free?.resolve();
    this.#free = undefined;
  }

  async #paceStreams(): Promise<void> {
    if (this.#streams.take(1)) return;
    await new Promise((resolve) => setTimeout(resolve, this.#streams.msUntil(0)));
  }

  #limit(response: Response, body: Body): Body {
    if (!response.ok) return firstOf(body, MAX_REFUSAL_BYTES);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    return isStream ? this.#limitEvents(body) : this.#limitBody(body);
  }

  #limitEvents(body: Body): Body {
    const meter = new EventMeter();
    let rest: Uint8Array | undefined;
    const next = async (read: Read) => {
      await this.#free?.promise;
      if (rest) {
        // Whoever parses a piece does so in one turn of the event loop, and others want theirs.
        await nextTurn();
        return split();
      }
      const chunk = await read();
      if (!chunk) return undefined;
      const before = meter.held;
      const lines = meter.add(chunk);
      this.#inbox.passOver(lines);
      this.#held += meter.held - before;
      this.#check(meter.held, MAX_MESSAGE_BYTES);
      if (lines < MANY_LINES) return chunk;
      rest = chunk;
      return split();
    };
    const split = () => {
      const piece = rest?.subarray(0, PIECE_BYTES);
      rest = rest && rest.length > PIECE_BYTES ? rest.subarray(PIECE_BYTES) : undefined;
      return piece;
    };
    return reading(body, next, () => {
      this.#held -= meter.held;
    });
  }

  #limitBody(body: Body): Body {
    let bytes = 0;
    let most = MAX_MESSAGE_BYTES;
    const next = async (read: Read) => {
      const chunk = await read();
      if (!chunk) return undefined;
      if (bytes === 0 && chunk[0] === OPENING_BRACKET) most = MAX_BATCH_BYTES;
      bytes += chunk.length;
      this.#held += chunk.length;
      this.#check(bytes, most);
      return chunk;
    };
    return reading(body, next, () => {
      this.#held -= bytes;
    });
  }

  #check(bytes: number, most: number): void {
    if (bytes <= most && this.#held <= MAX_HELD_BYTES) return;
    this.ending ??= 'sent a message that is too large, and was disconnected';
    // Otherwise those who wait for an answer, on this stream or another, would wait on.
    void this.#transport?.close().catch(() => {});
    throw new Error(this.ending);
  }
}

/** Its length is announced, and the length of what arrives is checked against that by fetch. */
function isKnownSmall({ headers, ok }: Response): boolean {
  const length = headers.get('content-length');
  return ok && length !== null && Number(length) <= MAX_BATCH_BYTES && !headers.has('content-encoding');
}

/** The same body, each piece of which goes through `next`. Nothing is read before it is asked for. */
function reading(body: Body, next: (read: Read) => Promise<Uint8Array | undefined>, onEnd: () => void): Body {
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

function firstOf(body: Body, bytes: number): Body {
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
