import { InMemoryTransport, type Transport } from '@modelcontextprotocol/client';
import type { Server } from '@modelcontextprotocol/server';

/** Connects a server of this process, and returns the end of the connection that a client uses. */
export function serveInProcess(server: Server): Transport {
  const [client, own] = InMemoryTransport.createLinkedPair();
  // The pair is linked already, so that connecting cannot fail later than at once.
  void server.connect(own);
  return client;
}
