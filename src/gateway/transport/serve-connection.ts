import type { Duplex } from 'node:stream';
import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { messageOf } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { Log } from '../../log.ts';
import type { Principal } from '../../principal.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Session } from '../session/session.ts';
import { createServer, listenerOf } from './sdk-server.ts';
import { StreamTransport } from './stream-transport.ts';

export interface Served {
  /** Settles when the client has gone and what was its own is closed. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client on a stream that carries MCP's stdio framing, in the era the client speaks. */
export function serveConnection(stream: Duplex, workspace: Workspace, who: Principal, log: Log): Served {
  let server: Server | undefined;
  const session = workspace.open(
    who,
    listenerOf(() => server),
  );
  const gone = Promise.withResolvers<void>();
  const transport = new StreamTransport(stream, (message) => followListening(session, message, log));
  const handle = serveStdio(
    () => {
      server = createServer(workspace, () => session);
      return server;
    },
    { transport, onerror: (error) => log.debug(`session: ${error.message}`) },
  );
  stream.once('close', () => {
    session.close().then(gone.resolve, (error) => {
      log.warn(`a session did not close well: ${messageOf(error)}`);
      gone.resolve();
    });
  });
  return {
    closed: gone.promise,
    close: async () => {
      await handle.close();
      stream.destroy();
      await gone.promise;
    },
  };
}

/** A modern client names the resources it wants to hear of in its `listen` request, which the SDK keeps to itself. */
function followListening(session: Session, message: JSONRPCMessage, log: Log): void {
  if (!('method' in message)) return;
  const params = (message.params ?? {}) as JsonObject;
  let act: Promise<void> | undefined;
  if (message.method === 'subscriptions/listen' && 'id' in message) {
    act = session.watches.addAll(`listen:${message.id}`, listenedUris(params));
  } else if (message.method === 'notifications/cancelled') {
    act = session.watches.drop(`listen:${params.requestId}`);
  }
  act?.catch((error) => log.debug(`could not follow a subscription: ${messageOf(error)}`));
}

/** The resources that a `subscriptions/listen` request names. */
export function listenedUris(params: JsonObject): string[] {
  const { resourceSubscriptions } = (params.notifications ?? {}) as JsonObject;
  return Array.isArray(resourceSubscriptions)
    ? resourceSubscriptions.filter((uri) => typeof uri === 'string')
    : [];
}
