import type { ServerResponse } from 'node:http';
import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../json.ts';
import type { AnswerChannel } from './direct-call.ts';
import { MAX_UNREAD_BYTES } from './sse-body.ts';

export interface HttpAnswerOptions {
  era: 'legacy' | 'modern';
  /** The id of an older client's session. */
  sessionId?: string | undefined;
  /** The client accepts event streams alone. */
  streamOnly: boolean;
  /** The most that waits in memory for a client that does not read. */
  maxUnread?: number;
}

/** The status of a modern request whose connection PML ends without an answer. */
const CLOSED = 499;
/**
 * Answers one call over HTTP: with one JSON body, or with an event stream if anything comes before the answer or the client
 * accepts nothing else.
 */
export class HttpAnswer implements AnswerChannel {
  readonly #response: ServerResponse;
  readonly #options: HttpAnswerOptions;
  readonly beganAt = performance.now();

  constructor(response: ServerResponse, options: HttpAnswerOptions) {
    this.#response = response;
    this.#options = options;
  }

  answer(message: JsonObject, errorCode: number | undefined): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    const text = JSON.stringify(message);
    if (response.headersSent || this.#options.streamOnly) {
      this.#openStream();
      response.end(eventOf(text));
      return;
    }
    // The specification demands this status of this error, wherever it comes from.
    const isRefusal =
      this.#options.era === 'modern' && errorCode === ProtocolErrorCode.MissingRequiredClientCapability;
    response.writeHead(isRefusal ? 400 : 200, {
      'content-type': 'application/json',
      ...this.#sessionHeader(),
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  }

  send(message: object): void {
    this.#write(eventOf(JSON.stringify(message)));
  }

  /** Tells the client, and all between, that the call is still under way. */
  keepAlive(): void {
    this.#write(': keepalive\n\n');
  }

  abandon(): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    if (this.#options.era === 'modern' && !response.headersSent) response.writeHead(CLOSED);
    else this.#openStream();
    response.end();
  }

  #write(frame: string): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    this.#openStream();
    response.write(frame);
    // A client that does not read is cut off before its messages pile up in memory.
    if (response.writableLength > (this.#options.maxUnread ?? MAX_UNREAD_BYTES)) response.destroy();
  }

  #openStream(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
      ...this.#sessionHeader(),
    });
  }

  #sessionHeader(): Record<string, string> {
    const { sessionId } = this.#options;
    return sessionId === undefined ? {} : { 'mcp-session-id': sessionId };
  }
}

function eventOf(text: string): string {
  return `event: message\ndata: ${text}\n\n`;
}
