import type { Duplex } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { LineReader } from '../lines.ts';

/** The most one message of a client may hold. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

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
    if (stream.write(`${JSON.stringify(message)}\n`)) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = () => {
        stream.off('drain', settle);
        stream.off('close', settle);
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
    let message: JSONRPCMessage;
    try {
      message = JSON.parse(line);
    } catch {
      this.#refuse(-32700, 'Parse error: the line is not JSON');
      return;
    }
    if (!isMessage(message)) {
      this.#refuse(-32600, 'Invalid Request: not a JSON-RPC 2.0 message');
      return;
    }
    this.#tap(message);
    this.onmessage?.(message);
  }

  #refuse(code: number, text: string): void {
    void this.send({ jsonrpc: '2.0', id: null, error: { code, message: text } } as unknown as JSONRPCMessage);
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { jsonrpc, method, id } = value as Record<string, unknown>;
  const idFits = id === undefined || typeof id === 'string' || typeof id === 'number';
  return jsonrpc === '2.0' && idFits && (typeof method === 'string' || 'result' in value || 'error' in value);
}
