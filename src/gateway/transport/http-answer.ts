import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../json.ts';
import type { AnswerChannel } from './direct-call.ts';
import { MAX_UNREAD_BYTES } from './sse-body.ts';

export interface HttpAnswerOptions {
  era: 'legacy' | 'modern';
  /** The id of an older client's session. */
  sessionId?: string | undefined;
  /** True if the client accepts only event streams. */
  streamOnly: boolean;
  /** The most that waits in memory on the connection of a client that does not read. */
  maxUnread?: number;
}

/** The status of a modern request whose connection PML ends without an answer. */
const CLOSED = 499;
/** How much waits on each connection in responses whose turn has not come: pipelined calls are answered in order. */
const queuedLengths = new WeakMap<Socket, number>();

/**
 * Answers one call over HTTP: with one JSON body, or with an event stream if anything comes before the answer or the client
 * accepts nothing else.
 */
export class HttpAnswer implements AnswerChannel {
  readonly #response: ServerResponse;
  readonly #options: HttpAnswerOptions;
  readonly beganAt = performance.now();
  /** How much of `queuedLengths` is in this response. */
  #queuedLength = 0;

  constructor(response: ServerResponse, options: HttpAnswerOptions) {
    this.#response = response;
    this.#options = options;
  }

  answer(message: JsonObject, errorCode: number | undefined): void {
    if (!this.#canWrite()) return;
    const text = JSON.stringify(message);
    if (this.#response.headersSent || this.#options.streamOnly) {
      this.#openStream();
      this.#response.end(eventOf(text));
    } else this.#endWithBody(text, errorCode);
    this.#countQueued();
  }

  send(message: object): void {
    this.#write(eventOf(JSON.stringify(message)));
  }

  /** Tells the client, and any proxy, that the call is still running. */
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
    if (!this.#canWrite()) return;
    this.#openStream();
    this.#response.write(frame);
    this.#countQueued();
  }

  #endWithBody(text: string, errorCode: number | undefined): void {
    // The specification demands status 400 for this error, wherever it comes from.
    const isRefusal =
      this.#options.era === 'modern' && errorCode === ProtocolErrorCode.MissingRequiredClientCapability;
    this.#response.writeHead(isRefusal ? 400 : 200, {
      'content-type': 'application/json',
      ...this.#sessionHeader(),
      'content-length': Buffer.byteLength(text),
    });
    this.#response.end(text);
  }

  /**
   * Cuts off a client that does not read, before its answers fill the memory. Counts only what waited before, so that a
   * single answer may have any length.
   */
  #canWrite(): boolean {
    const response = this.#response;
    const { socket } = response.req;
    if (response.destroyed || response.writableEnded || socket.destroyed) return false;
    const unread = (response.socket ? response : socket).writableLength + (queuedLengths.get(socket) ?? 0);
    if (unread <= (this.#options.maxUnread ?? MAX_UNREAD_BYTES)) return true;
    socket.destroy();
    return false;
  }

  /** Counts what was written before this response's turn. At its turn it gets the socket, which counts by itself. */
  #countQueued(): void {
    const response = this.#response;
    if (response.socket) return;
    const { socket } = response.req;
    if (this.#queuedLength === 0) response.once('socket', () => addQueued(socket, -this.#queuedLength));
    addQueued(socket, response.writableLength - this.#queuedLength);
    this.#queuedLength = response.writableLength;
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

function addQueued(socket: Socket, length: number): void {
  queuedLengths.set(socket, (queuedLengths.get(socket) ?? 0) + length);
}

function eventOf(text: string): string {
  return `event: message\ndata: ${text}\n\n`;
}
