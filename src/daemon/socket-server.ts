import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { messageOf, PmlError } from '../errors.ts';
import type { Log } from '../log.ts';
import { VERSION } from '../version.ts';
import { PROTOCOL_VERSION, readLine } from './attach.js';
import { Handshake } from './handshake.ts';
import { adviceFor, strangerAt } from './socket-path.js';

const HELLO_BYTES = 4 * 1024 * 1024;
const HELLO_MS = 10_000;

export interface SocketServerOptions {
  home: string;
  path: string;
  log: Log;
  /** Serves a caller that has introduced itself. What it throws is the answer. */
  welcome: (socket: Socket, hello: Handshake) => Promise<void>;
  /** Somebody came or went. */
  onTraffic: () => void;
}

/** The socket of a home, and who is connected to it. Only the home's owner can open it. */
export class SocketServer {
  readonly connections = new Set<Socket>();
  readonly #options: SocketServerOptions;
  readonly #server: Server;

  constructor(options: SocketServerOptions) {
    this.#options = options;
    this.#server = createServer((socket) => void this.#receive(socket));
  }

  async open(): Promise<void> {
    const { home, path } = this.#options;
    if (process.platform !== 'win32') {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const stranger = strangerAt(home, path);
      if (stranger) {
        const message = `PML does not listen: ${stranger}, so another user may take its place.`;
        throw new PmlError('home_unusable', message, { hint: adviceFor(home, path) });
      }
      // The home's lock is ours, so a socket that is there has no owner.
      rmSync(path, { force: true });
    }
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      // Nobody but the owner may connect, not even between the socket's making and its chmod.
      const former = process.umask(0o177);
      this.#server.listen(path, resolve);
      process.umask(former);
    });
    if (process.platform !== 'win32') chmodSync(path, 0o600);
  }

  /** Lets nobody in any more. */
  shut(): void {
    this.#server.close();
  }

  /** Sends everybody away. */
  clear(): void {
    for (const socket of this.connections) socket.end();
    if (process.platform !== 'win32') rmSync(this.#options.path, { force: true });
  }

  async #receive(socket: Socket): Promise<void> {
    const { log, welcome, onTraffic } = this.#options;
    this.connections.add(socket);
    onTraffic();
    socket.once('close', () => {
      this.connections.delete(socket);
      onTraffic();
    });
    socket.on('error', (error) => log.debug(`socket: ${error.message}`));
    const timer = setTimeout(() => socket.destroy(), HELLO_MS);
    const line = await readLine(socket, HELLO_BYTES);
    clearTimeout(timer);
    if (line === undefined) {
      socket.destroy();
      return;
    }
    try {
      await welcome(socket, parseHello(line));
    } catch (error) {
      if (!(error instanceof PmlError)) log.error(`a session could not be opened: ${(error as Error).stack}`);
      const { code, hint } = error instanceof PmlError ? error : { code: 'internal', hint: undefined };
      reply(socket, { error: { code, message: messageOf(error), hint } });
      socket.end();
      // One that keeps its end open would be kept, too.
      const timer = setTimeout(() => socket.destroy(), HELLO_MS).unref();
      socket.once('close', () => clearTimeout(timer));
    }
  }
}

/** One line to a caller. */
export function reply(socket: Socket, line: object): void {
  socket.write(`${JSON.stringify(line)}\n`);
}

function parseHello(line: string): Handshake {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new PmlError('bad_request', 'The first line on this socket must introduce the caller.');
  }
  const { dialect } = (value ?? {}) as { dialect?: unknown };
  if (dialect !== PROTOCOL_VERSION) {
    throw new PmlError('bad_request', `This PML's background process is of another version (${VERSION}).`, {
      hint: 'Stop it with `pml down` of the same version, and try again.',
    });
  }
  const hello = Handshake.safeParse(value);
  if (!hello.success)
    throw new PmlError('bad_request', 'The introduction on this socket was not understood.');
  return hello.data;
}
