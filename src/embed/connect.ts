import { connectDaemon, DaemonConnectError } from '../daemon/connect-daemon.js';
import { type ErrorCode, PmlError } from '../errors.ts';
import { StreamTransport } from '../gateway/transport/stream-transport.ts';
import { VERSION } from '../version.ts';
import type { Place } from './options.ts';

/** A connection to the gateway, as the clients of the MCP SDKs take it. It serves one client. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: unknown) => void;
}

export interface SessionOptions {
  /** The agent of the config as which the session acts. Default: the config's `defaultAgent`, if any. */
  agent?: string;
}

/** Opens a session with the gateway of a home. `start` says whether to start its process if none runs. */
export async function connect(
  place: Place,
  { agent }: SessionOptions,
  start: boolean,
): Promise<McpTransport> {
  const handshake = { version: VERSION, kind: 'session', ...place, ...(agent !== undefined && { agent }) };
  const connection = await connectDaemon({ env: place.env, handshake, start }).catch((error) => {
    if (!(error instanceof DaemonConnectError)) throw error;
    const { code, message, hint } = error;
    throw new PmlError(code as ErrorCode, message, { ...(hint && { hint }) });
  });
  if (!connection) throw new PmlError('daemon_unreachable', 'The gateway was closed.');
  // The SDK's own type would make its package, which is bundled, a dependency of whoever reads the declarations.
  return new StreamTransport(connection.socket) as McpTransport;
}
