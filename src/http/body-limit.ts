import type { MiddlewareHandler } from 'hono';
import { ChunkList } from '../chunk-list.ts';

export interface BodyLimits {
  /** The largest body that is accepted. */
  maxBytes: number;
  /** How much of a refused body is read and thrown away before the connection closes. */
  discardBytes: number;
  /** How long a client may go on sending a refused body. */
  discardMs: number;
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * Refuses a request whose body is too large, with status 413 and `refusal` as JSON. The rest of the body is read and thrown
 * away: closing a connection on unread bytes resets it, and the reset would take the answer from a client that sends its
 * whole body before it reads.
 */
export function limitBody(limits: BodyLimits, refusal: object): MiddlewareHandler {
  return async (c, next) => {
    const request = c.req.raw;
    const announced = announcedBytes(request);
    if (announced !== undefined && announced <= limits.maxBytes) return next();
    const reader = request.body?.getReader();
    if (!reader) return next();
    const body = announced === undefined ? await readAtMost(reader, limits.maxBytes) : undefined;
    if (!body) return refuse(refusal, reader, limits);
    c.req.raw = new Request(request, { body });
    return next();
  };
}

/** Returns the length by which the HTTP parser ends the body; undefined for a chunked body, which ends anywhere. */
function announcedBytes({ headers }: Request): number | undefined {
  const length = headers.get('content-length');
  return length === null || headers.has('transfer-encoding') ? undefined : Number(length);
}

async function readAtMost(reader: BodyReader, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks = new ChunkList();
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return chunks.joined();
    size += value.length;
    if (size > maxBytes) return undefined;
    chunks.add(value);
  }
}

/** Sends the whole answer at once, but ends it, and with it the connection, only once the body is discarded. */
function refuse(refusal: object, reader: BodyReader, limits: BodyLimits): Response {
  const answer = new TextEncoder().encode(JSON.stringify(refusal));
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      controller.enqueue(answer);
      await discard(reader, limits);
      controller.close();
    },
  });
  const headers = {
    'content-type': 'application/json',
    'content-length': `${answer.length}`,
    connection: 'close',
  };
  return new Response(body, { status: 413, headers });
}

async function discard(reader: BodyReader, { discardBytes, discardMs }: BodyLimits): Promise<void> {
  const stop = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(stop, discardMs);
  try {
    for (let left = discardBytes; left > 0; ) {
      const { done, value } = await reader.read();
      if (done) return;
      left -= value.length;
    }
    stop();
  } catch {
    // The client has gone.
  } finally {
    clearTimeout(timer);
  }
}
