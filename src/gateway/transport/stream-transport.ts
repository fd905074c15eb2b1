import type { Duplex } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { corkUntilNextTick, LineReader } from '../../lines.ts';

/** The most one message of a client may hold. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Clients built on the SDK close the connection at a line of 10 MiB, what they read with it included. */
export const MAX_LINE_BYTES = 10 * 1024 * 1024 - 256 * 1024;
/** Signs of life and log messages are dropped when a client has so much to read already. */
const MAX_UNREAD_NEWS = 4 * 1024 * 1024;
/** A client that has so much to read does not read. What it asked for before would fill the memory. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;
/** How long a client that has said its last word may take to read the answers. */
const FLUSH_MS = 5000;
const NEWS: readonly string[] = ['notifications/progress', 'notifications/message'];

/** MCP's stdio framing over any stream. Wrong input is answered, and harms only itself. */
export class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** Sees each message before the SDK does. */
  readonly #tap: (message: JSONRPCMessage) => void;
  readonly #stream: Duplex;
  #closed = false;

  constructor(stream: Duplex, tap: (message: JSONRPCMessage) => void) {
    this.#stream = stream;
    this.#tap = tap;
  }

  async start(): Promise<void> {
    const lines = new LineReader(
      MAX_MESSAGE_BYTES,
      (line) => this.#receive(line),
      () => this.#refuse(-32600, `Message too large: the limit is ${MAX_MESSAGE_BYTES} bytes`),
    );
    this.#stream.on('data', (chunk: Buffer) => lines.push(chunk));
    this.#stream.on('error', (error) => this.onerror?.(error));
    this.#stream.on('end', () => void this.close());
    this.#stream.on('close', () => void this.close());
    // It was paused when the introduction had been read from it.
    this.#stream.resume();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed || this.#isNewsForNobody(message)) return;
    const stream = this.#stream;
    const line = lineOf(message);
    corkUntilNextTick(stream);
    if (stream.write(line)) return;
    if (stream.writableLength > MAX_UNREAD_BYTES) return this.#giveUp();
    // A client that does not read its answers is not read from either: what more it asks for would pile up here.
    stream.pause();
    return new Promise((resolve) => {
      const settle = () => {
        stream.off('drain', settle);
        stream.off('close', settle);
        stream.resume();
        resolve();
      };
      stream.on('drain', settle);
      stream.on('close', settle);
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stream.end();
    // One that keeps its end open and does not read would keep its session, too.
    const timer = setTimeout(() => this.#stream.destroy(), FLUSH_MS).unref();
    this.#stream.once('close', () => clearTimeout(timer));
    this.onclose?.();
  }

  #isNewsForNobody(message: JSONRPCMessage): boolean {
    return (
      this.#stream.writableLength > MAX_UNREAD_NEWS && 'method' in message && NEWS.includes(message.method)
    );
  }

  #giveUp(): void {
    this.onerror?.(new Error('the client does not read its answers, and is disconnected'));
    this.#stream.destroy();
  }

  #receive(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#refuse(-32700, 'Parse error: the line is not JSON');
      return;
    }
    const problem = problemOf(message);
    if (problem) {
      this.#refuse(-32600, `Invalid Request: ${problem}`, idOf(message));
      return;
    }
    this.#tap(message as JSONRPCMessage);
    this.onmessage?.(message as JSONRPCMessage);
  }

  #refuse(code: number, text: string, id: unknown = null): void {
    void this.send({ jsonrpc: '2.0', id, error: { code, message: text } } as unknown as JSONRPCMessage);
  }
}

/** The message as one line. An answer that cannot be one becomes a failure of that one request. */
function lineOf(message: JSONRPCMessage): string {
  const line = `${JSON.stringify(message)}\n`;
  const bytes = line.length > MAX_LINE_BYTES / 3 ? Buffer.byteLength(line) : 0;
  if (bytes <= MAX_LINE_BYTES) return line;
  const text = `This message has ${bytes} bytes, and clients on stdio take at most ${MAX_LINE_BYTES}. Ask for less of it, or connect over HTTP.`;
  // A question or a piece of news is its sender's to shorten.
  if ('method' in message) throw new Error(text);
  return `${JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32603, message: text } })}\n`;
}

/** Why the SDK would drop this without a word, and leave its sender waiting for an answer. */
function problemOf(message: unknown): string | undefined {
  if (Array.isArray(message)) return 'batches are not supported, send one message a line';
  const fits = [isJSONRPCRequest, isJSONRPCNotification, isJSONRPCResponse].some((is) => is(message));
  return fits ? undefined : 'not a JSON-RPC 2.0 message, or its params are not an object';
}

/** The id of a request; an answer's id would name a request of ours. */
function idOf(message: unknown): unknown {
  const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : null;
}
