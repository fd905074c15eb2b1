import type { Duplex } from 'node:stream';
import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { messageOf } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { Log } from '../../log.ts';
import type { Gateway } from '../session/gateway.ts';
import { instructionsFor } from '../session/instructions.ts';
import { Session, type SessionIdentity } from '../session/session.ts';
import { ConnectionCalls } from './connection-calls.ts';
import { FirstAnswers, type FirstAnswersOptions } from './first-answers.ts';
import { LISTEN, listenedUris } from './listen-request.ts';
import { createServer, notificationsBy } from './sdk-server.ts';
import { StreamTransport } from './stream-transport.ts';

export interface ServedConnection {
  /** Settles when the client has gone and its session is closed. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client on a stream that carries MCP's stdio framing, in the era that the client speaks. */
export function serveConnection(
  stream: Duplex,
  gateway: Gateway,
  identity: SessionIdentity,
  remember: FirstAnswersOptions['remember'] = () => {},
): ServedConnection {
  const { log } = gateway.resources;
  let server: Server | undefined;
  const session = Session.open(gateway, { ...identity, notifications: notificationsBy(() => server) });
  const closed = Promise.withResolvers<void>();
  const calls = new ConnectionCalls(session, log, (message) => transport.send(message));
  const first = new FirstAnswers({
    instructions: () => instructionsFor(gateway, identity, session),
    redact: (answer) => gateway.workspace.redactor.schema(answer) as JsonObject,
    remember,
  });
  const transport: StreamTransport = new StreamTransport(stream, {
    takeCall: (message) => calls.take(message),
    take: (message) => {
      trackListening(session, message, log);
      first.received(message);
      return calls.takeCancellation(message);
    },
  });
  const { send } = transport;
  transport.send = (message) => {
    first.sent(message);
    return send.call(transport, message);
  };
  const handle = serveStdio(
    async ({ era }) => {
      const instructions = await instructionsFor(gateway, identity, session);
      const opened = createServer(gateway, () => session, {
        instructions,
        onRequest: () => calls.begin(era, opened),
      });
      server = opened;
      return opened;
    },
    { transport, onerror: (error) => log.debug(`session: ${error.message}`) },
  );
  const closeServer = transport.onclose;
  transport.onclose = () => {
    calls.close();
    closeServer?.();
  };
  stream.once('close', () => {
    session.close().then(closed.resolve, (error) => {
      log.warn(`a session did not close well: ${messageOf(error)}`);
      closed.resolve();
    });
  });
  return {
    closed: closed.promise,
    close: async () => {
      await handle.close();
      stream.destroy();
      await closed.promise;
    },
  };
}

/** Subscribes to the resources of a `listen` request until it is cancelled. The SDK does not pass the request on. */
function trackListening({ subscriptions }: Session, message: JSONRPCMessage, log: Log): void {
  if (!('method' in message)) return;
  const params = (message.params ?? {}) as JsonObject;
  let change: Promise<void> | undefined;
  if (message.method === LISTEN && 'id' in message) {
    change = subscriptions.addAll(`listen:${message.id}`, listenedUris(params));
  } else if (message.method === 'notifications/cancelled') {
    change = subscriptions.drop(`listen:${params.requestId}`);
  }
  change?.catch((error) => log.debug(`could not follow a subscription: ${messageOf(error)}`));
}
