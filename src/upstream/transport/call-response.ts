import type { Dispatcher } from 'undici';
import { ChunkList, KEPT_CHUNKS } from '../../chunk-list.ts';
import { firstEventData } from './first-event.ts';
import type { HeldBody } from './http-limits.ts';
import { type ResponseHead, ResponseStream } from './response-stream.ts';

export interface CallResponseOptions {
  /** Gets a JSON body. Throws if it is no message. */
  onBody: (text: string) => void;
  /** Gets a stream's first event, if it came alone. Returns whether it is the answer; if not, `onOther` gets it. */
  onEvent: (text: string) => boolean;
  /** Gets every other response from its beginning, and a stream that goes on after its answer. */
  onOther: (response: Response) => void;
  onError: (error: unknown) => void;
  body: HeldBody;
  /** Ends the call at any point. */
  signal: AbortSignal | undefined;
}

type Controller = Dispatcher.DispatchController;

const OPENING_BRACE = 0x7b;
/** An event of more chunks is left to the SDK, which reads it under the limits for streams. */
const MAX_EVENT_CHUNKS = KEPT_CHUNKS;

/** Reads the response to one call: a plain answer by itself, anything else as a `Response` for the SDK. */
export class CallResponse implements Dispatcher.DispatchHandler {
  readonly #options: CallResponseOptions;
  #state: 'waiting' | 'body' | 'event' | 'answered' | 'other' = 'waiting';
  #head: ResponseHead | undefined;
  readonly #chunks = new ChunkList();
  #other: ResponseStream | undefined;
  #abort: (() => void) | undefined;

  constructor(options: CallResponseOptions) {
    this.#options = options;
  }

  onRequestStart(controller: Controller): void {
    const { signal } = this.#options;
    if (!signal) return;
    // A request that undici sends again, because its connection closed before it was written, starts again.
    this.#end();
    this.#abort = () => controller.abort(signal.reason as Error);
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  onResponseStart(
    controller: Controller,
    status: number,
    headers: ResponseHead['headers'],
    statusText = '',
  ): void {
    // An interim response, such as 103 Early Hints.
    if (status < 200) return;
    this.#head = { status, statusText, headers };
    this.#state = stateFor(this.#head);
    if (this.#state === 'other') this.#passOn(controller);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#other) {
      this.#other.add(chunk);
      return;
    }
    this.#options.body.add(chunk);
    const isObject = this.#chunks.count > 0 || chunk[0] === OPENING_BRACE;
    this.#chunks.add(chunk);
    if (this.#state === 'event') this.#readEvent(controller);
    else if (this.#state === 'answered' || !isObject) this.#passOn(controller);
  }

  onResponseEnd(controller: Controller): void {
    if (this.#state === 'event') this.#passOn(controller);
    this.#end();
    if (this.#other) this.#other.end();
    else if (this.#state === 'body') this.#options.onBody(this.#chunks.joined().toString());
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#end();
    if (this.#other) this.#other.fail(error);
    else if (this.#state !== 'answered') this.#options.onError(error);
  }

  #readEvent(controller: Controller): void {
    const data = firstEventData(this.#chunks.joined());
    if (data === undefined && this.#chunks.count < MAX_EVENT_CHUNKS) return;
    if (data && this.#options.onEvent(data)) this.#state = 'answered';
    else this.#passOn(controller);
  }

  #passOn(controller: Controller): void {
    this.#state = 'other';
    this.#options.body.release();
    this.#other = new ResponseStream(this.#head as ResponseHead, this.#chunks, controller);
    this.#options.onOther(this.#other.response);
  }

  #end(): void {
    this.#options.body.release();
    if (this.#abort) this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#abort = undefined;
  }
}

function stateFor({ status, headers }: ResponseHead): 'body' | 'event' | 'other' {
  const type = headers['content-type'];
  if (status !== 200 || typeof type !== 'string' || headers['content-encoding'] !== undefined) return 'other';
  const [essence = ''] = type.split(';', 1);
  switch (essence.trim().toLowerCase()) {
    case 'application/json':
      return 'body';
    case 'text/event-stream':
      return 'event';
    default:
      return 'other';
  }
}
