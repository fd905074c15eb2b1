import type { Duplex } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { corkForNow, LineReader } from '../lines.ts';

/** The most one message of a client may hold. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** A client that has left so much unread misses log messages and progress: servers send those without end. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

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

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.resolve();
    const stream = this.#stream;
    if (stream.writableLength > MAX_UNREAD_BYTES && isPassing(message)) return Promise.resolve();
    corkForNow(stream);
    if (stream.write(`${JSON.stringify(message)}\n`)) return Promise.resolve();
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
    this.onclose?.();
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

/** Why the SDK would drop this without a word, and leave its sender waiting for an answer. */
function problemOf(message: unknown): string | undefined {
  if (Array.isArray(message)) return 'batches are not supported, send one message a line';
  const fits = [isJSONRPCRequest, isJSONRPCNotification, isJSONRPCResponse].some((is) => is(message));
  return fits ? undefined : 'not a JSON-RPC 2.0 message, or its params are not an object';
}

/** Whether it is of use only at the moment it is said. */
function isPassing(message: JSONRPCMessage): boolean {
  return 'method' in message && !('id' in message) && !message.method.endsWith('list_changed');
}

/** The id of a request; an answer's id would name a request of ours. */
function idOf(message: unknown): unknown {
  const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : null;
}
