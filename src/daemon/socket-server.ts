import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { messageOf, PmlError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Handshake, parseHandshake } from './handshake.ts';
import { ownershipAdvice, ownershipProblem } from './socket-path.js';
import { readLine } from './socket-protocol.js';

const HANDSHAKE_BYTES = 4 * 1024 * 1024;
const HANDSHAKE_MS = 10_000;

export interface SocketServerOptions {
  home: string;
  path: string;
  log: Log;
  /** Serves a client after its handshake. An error it throws is sent to the client. */
  serve: (socket: Socket, handshake: Handshake) => Promise<void>;
  /** Called when a client has connected or gone. */
  onConnectionsChanged: () => void;
}

/** The daemon's Unix socket and its connections. Only the owner of the home can connect. */
export class SocketServer {
  readonly connections = new Set<Socket>();
  readonly #options: SocketServerOptions;
  readonly #server: Server;

  constructor(options: SocketServerOptions) {
    this.#options = options;
    this.#server = createServer((socket) => void this.#accept(socket));
  }

  async open(): Promise<void> {
    const { home, path } = this.#options;
    if (process.platform !== 'win32') {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const problem = ownershipProblem(home, path);
      if (problem) {
        const message = `PML does not listen: ${problem}, so another user may take its place.`;
        throw new PmlError('home_unusable', message, { hint: ownershipAdvice(home, path) });
      }
      // This process holds the home's lock, so a socket that is there has no owner.
      rmSync(path, { force: true });
    }
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      // Nobody but the owner may connect, not even between the socket's creation and its chmod.
      const former = process.umask(0o177);
      this.#server.listen(path, resolve);
      process.umask(former);
    });
    if (process.platform !== 'win32') chmodSync(path, 0o600);
  }

  /** Accepts no more connections. Those that are open stay. */
  stopListening(): void {
    this.#server.close();
  }

  /** Ends all connections and removes the socket. */
  disconnectAll(): void {
    for (const socket of this.connections) socket.end();
    if (process.platform !== 'win32') rmSync(this.#options.path, { force: true });
  }

  async #accept(socket: Socket): Promise<void> {
    const { log, serve, onConnectionsChanged } = this.#options;
    this.connections.add(socket);
    onConnectionsChanged();
    socket.once('close', () => {
      this.connections.delete(socket);
      onConnectionsChanged();
    });
    socket.on('error', (error) => log.debug(`socket: ${error.message}`));
    const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS);
    const line = await readLine(socket, HANDSHAKE_BYTES);
    clearTimeout(timer);
    if (line === undefined) {
      socket.destroy();
      return;
    }
    try {
      await serve(socket, parseHandshake(line));
    } catch (error) {
      if (!(error instanceof PmlError)) log.error(`a session could not be opened: ${(error as Error).stack}`);
      refuse(socket, error);
    }
  }
}

/** Writes one line of JSON to a client. */
export function sendLine(socket: Socket, line: object): void {
  socket.write(`${JSON.stringify(line)}\n`);
}

/** Returns an error as the line that reports it. */
export function errorLine(error: unknown): object {
  const { code, hint } = error instanceof PmlError ? error : { code: 'internal', hint: undefined };
  return { error: { code, message: messageOf(error), hint } };
}

function refuse(socket: Socket, error: unknown): void {
  sendLine(socket, errorLine(error));
  socket.end();
  // A client that does not close its side must not stay connected.
  const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
