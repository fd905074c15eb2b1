import type { Duplex } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { corkForThisTurn, LineReader, onceDrained } from '../../lines.ts';

/** The largest message that a client may send. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Clients built on the SDK close the connection when 10 MiB are unread, part of the next line included. */
export const MAX_LINE_BYTES = 10 * 1024 * 1024 - 256 * 1024;
/** Progress and log messages are dropped when this much already waits for the client. */
const MAX_UNREAD_BEFORE_DROPPING = 4 * 1024 * 1024;
/** A client that leaves this much unread is disconnected, before its answers fill the memory. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;
/** How long a client that closed its side may take to read the last answers. */
const FLUSH_MS = 5000;
/** How many messages of one client are begun in a turn of the event loop. A burst of 500 held it for 0.4 s. */
const MESSAGES_A_TURN = 20;
const DROPPABLE: readonly string[] = ['notifications/progress', 'notifications/message'];

/** Gets messages before the SDK does, and returns true for those it has handled. */
export interface Receiver {
  /** Gets any JSON. */
  takeCall(message: unknown): boolean;
  /** Gets messages that are valid. */
  take(message: JSONRPCMessage): boolean;
}

const SDK_ALONE: Receiver = { takeCall: () => false, take: () => false };

/** MCP's stdio framing over any stream. Invalid input is answered with an error, and the connection stays open. */
export class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #receiver: Receiver;
  readonly #stream: Duplex;
  /** Lines that were received, and have to wait for the next turn. */
  #waiting: string[] = [];
  #begunInTurn = 0;
  /** The client sends nothing more. */
  #hasEnded = false;
  /** How many reasons there are to stop reading: lines that wait, and a full stream. */
  #pauses = 0;
  /** All writes wait together while the stream is full: removing a listener for each takes quadratic time. */
  #drained: Promise<void> | undefined;
  #closed = false;

  constructor(stream: Duplex, receiver: Receiver = SDK_ALONE) {
    this.#stream = stream;
    this.#receiver = receiver;
  }

  async start(): Promise<void> {
    const lines = new LineReader(
      MAX_MESSAGE_BYTES,
      (line) => this.#take(line),
      () => this.#sendError(-32600, `Message too large: the limit is ${MAX_MESSAGE_BYTES} bytes`),
    );
    this.#stream.on('data', (chunk: Buffer) => lines.push(chunk));
    this.#stream.on('error', (error) => this.onerror?.(error));
    this.#stream.on('end', () => {
      this.#hasEnded = true;
      if (this.#waiting.length === 0) void this.close();
    });
    this.#stream.on('close', () => void this.close());
    // Reading the handshake left the stream paused.
    this.#stream.resume();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed || this.#isDroppable(message)) return;
    const stream = this.#stream;
    const line = lineOf(message);
    corkForThisTurn(stream);
    if (stream.write(line)) return;
    if (stream.writableLength > MAX_UNREAD_BYTES) return this.#disconnect();
    this.#drained ??= this.#pauseUntilDrained();
    return this.#drained;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stream.end();
    // A client that neither reads nor closes must not keep its session open.
    const timer = setTimeout(() => this.#stream.destroy(), FLUSH_MS).unref();
    this.#stream.once('close', () => clearTimeout(timer));
    this.onclose?.();
  }

  #isDroppable(message: JSONRPCMessage): boolean {
    const isFull = this.#stream.writableLength > MAX_UNREAD_BEFORE_DROPPING;
    return isFull && 'method' in message && DROPPABLE.includes(message.method);
  }

  #disconnect(): void {
    this.onerror?.(new Error('the client does not read its answers, and is disconnected'));
    this.#stream.destroy();
  }

  /** While the client does not read its answers, nothing more is read from it: its requests would pile up here. */
  #pauseUntilDrained(): Promise<void> {
    this.#pause();
    return new Promise((resolve) => {
      onceDrained(this.#stream, () => {
        this.#drained = undefined;
        this.#resume();
        resolve();
      });
    });
  }

  #pause(): void {
    this.#pauses += 1;
    this.#stream.pause();
  }

  #resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#stream.resume();
  }

  /** Receives a line, in a later turn of the event loop if this turn has had its share. */
  #take(line: string): void {
    if (this.#begunInTurn === 0) setImmediate(() => this.#nextTurn());
    if (this.#begunInTurn < MESSAGES_A_TURN) {
      this.#begunInTurn += 1;
      this.#receive(line);
      return;
    }
    if (this.#waiting.length === 0) this.#pause();
    this.#waiting.push(line);
  }

  #nextTurn(): void {
    this.#begunInTurn = 0;
    if (this.#closed) this.#waiting = [];
    if (this.#waiting.length === 0) return;
    const share = this.#waiting.slice(0, MESSAGES_A_TURN);
    this.#waiting = this.#waiting.slice(MESSAGES_A_TURN);
    for (const line of share) this.#take(line);
    if (this.#waiting.length > 0) return;
    this.#resume();
    if (this.#hasEnded) void this.close();
  }

  #receive(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#sendError(-32700, 'Parse error: the line is not JSON');
      return;
    }
    if (this.#receiver.takeCall(message)) return;
    const problem = problemOf(message);
    if (problem) {
      this.#sendError(-32600, `Invalid Request: ${problem}`, idOf(message));
      return;
    }
    if (!this.#receiver.take(message as JSONRPCMessage)) this.onmessage?.(message as JSONRPCMessage);
  }

  #sendError(code: number, text: string, id: unknown = null): void {
    void this.send({ jsonrpc: '2.0', id, error: { code, message: text } } as unknown as JSONRPCMessage);
  }
}

/** Returns the message as one line. An answer that is too long becomes an error of its request. */
function lineOf(message: JSONRPCMessage): string {
  const line = `${JSON.stringify(message)}\n`;
  const bytes = line.length > MAX_LINE_BYTES / 3 ? Buffer.byteLength(line) : 0;
  if (bytes <= MAX_LINE_BYTES) return line;
  const text = `This message has ${bytes} bytes, and clients on stdio take at most ${MAX_LINE_BYTES}. Ask for less of it, or connect over HTTP.`;
  // The sender of a request or notification must shorten it.
  if ('method' in message) throw new Error(text);
  return `${JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32603, message: text } })}\n`;
}

/** Returns why the SDK would drop a message silently, and leave its sender waiting for an answer. */
function problemOf(message: unknown): string | undefined {
  if (Array.isArray(message)) return 'batches are not supported, send one message a line';
  const fits = [isJSONRPCRequest, isJSONRPCNotification, isJSONRPCResponse].some((is) => is(message));
  return fits ? undefined : 'not a JSON-RPC 2.0 message, or its params are not an object';
}

/** Returns the id if this is a request. The id of an answer names a request of PML's. */
function idOf(message: unknown): unknown {
  const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : null;
}
