import type { Socket } from 'node:net';
import { connectDaemon } from '../daemon/connect-daemon.js';
import { readLine } from '../daemon/socket-protocol.js';
import { errorInAnswer, PmlError } from '../errors.ts';
import { VERSION } from '../version.ts';
import type { Terminal } from './terminal.ts';

/** Far above any answer of the daemon. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Sends the daemon a request that no MCP tool offers, such as an import, and returns its answer. */
export async function sendAdminRequest<T>(terminal: Terminal, request: object, config?: string): Promise<T> {
  const connection = await connectForRequests(terminal, config);
  if (!connection) throw new PmlError('daemon_unreachable', 'PML could not be reached.');
  if (typeof connection.reply.notice === 'string') terminal.warn(connection.reply.notice);
  return exchange(connection.socket, request);
}

/** Like `sendAdminRequest`, but returns undefined if no daemon runs, and prints nothing: shell completion calls it. */
export async function askRunningDaemon<T>(terminal: Terminal, request: object): Promise<T | undefined> {
  const connection = await connectForRequests(terminal, undefined, false);
  return connection ? exchange(connection.socket, request) : undefined;
}

function connectForRequests(terminal: Terminal, config: string | undefined, start = true) {
  const handshake = {
    version: VERSION,
    kind: 'errands',
    cwd: process.cwd(),
    env: process.env,
    ...(config && { config }),
  };
  return connectDaemon({ env: process.env, handshake, start, onProgress: terminal.progress });
}

async function exchange<T>(socket: Socket, request: object): Promise<T> {
  try {
    socket.write(`${JSON.stringify(request)}\n`);
    const line = await readLine(socket, MAX_ANSWER_BYTES);
    if (line === undefined) throw new PmlError('daemon_unreachable', 'PML stopped before it answered.');
    const reply = JSON.parse(line) as { answer: T };
    const failure = errorInAnswer(reply);
    if (failure) throw failure;
    return reply.answer;
  } finally {
    socket.destroy();
  }
}
