import type { Dispatcher } from 'undici';
import type { ChunkList } from '../../chunk-list.ts';

export interface ResponseHead {
  status: number;
  statusText: string;
  headers: Record<string, string | string[] | undefined>;
}

/** Receiving pauses while the reader has left this much unread. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** Responses with these statuses have no body. */
const WITHOUT_BODY = [204, 205, 304];

/** Offers a response that undici receives as a `Response` of fetch. Reads no faster than its reader. */
export class ResponseStream {
  readonly response: Response;
  readonly #source: Dispatcher.DispatchController;
  readonly #unread: ChunkList;
  #unreadBytes = 0;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isWanted = false;
  #isEnded = false;

  /** Takes the chunks that have been received already. */
  constructor(head: ResponseHead, received: ChunkList, source: Dispatcher.DispatchController) {
    this.#source = source;
    this.#unread = received;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#stream = controller;
        },
        pull: () => this.#pull(),
        cancel: () => source.abort(new Error('The response was not read to its end.')),
      },
      { highWaterMark: 0 },
    );
    this.response = responseOf(head, body);
  }

  add(chunk: Buffer): void {
    if (!this.response.body) return;
    this.#unread.add(chunk);
    this.#unreadBytes += chunk.length;
    if (this.#isWanted) this.#pull();
    else if (this.#unreadBytes > MAX_UNREAD_BYTES) this.#source.pause();
  }

  end(): void {
    this.#isEnded = true;
    if (this.#isWanted) this.#pull();
  }

  fail(error: Error): void {
    this.#isEnded = true;
    this.#unread.clear();
    this.#stream?.error(error);
  }

  /** Passes on all chunks as one: some servers send each line in a chunk of its own. */
  #pull(): void {
    const chunk = this.#unread.joined();
    this.#unread.clear();
    this.#unreadBytes = 0;
    const isEmpty = chunk.length === 0;
    this.#isWanted = isEmpty && !this.#isEnded;
    if (!isEmpty) this.#stream?.enqueue(chunk);
    else if (this.#isEnded) this.#stream?.close();
    else if (this.#source.paused) this.#source.resume();
  }
}

function responseOf(
  { status, statusText, headers }: ResponseHead,
  body: ReadableStream<Uint8Array>,
): Response {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of [value ?? []].flat()) all.append(name, one);
  const content = WITHOUT_BODY.includes(status) ? null : decoded(body, all.get('content-encoding'));
  return new Response(content, { status, statusText, headers: all });
}

/** Decodes the encodings that PML accepts. */
function decoded(body: ReadableStream<Uint8Array>, encoding: string | null): ReadableStream<Uint8Array> {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return body.pipeThrough(new DecompressionStream('gzip'));
    case 'deflate':
      return body.pipeThrough(new DecompressionStream('deflate'));
    default:
      return body;
  }
}
