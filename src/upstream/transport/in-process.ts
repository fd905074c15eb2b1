import { InMemoryTransport, type Transport } from '@modelcontextprotocol/client';
import type { Server } from '@modelcontextprotocol/server';

/** Connects a server of this process, and returns the end of the connection that a client uses. */
export function serveInProcess(server: Server): Transport {
  const [client, own] = InMemoryTransport.createLinkedPair();
  // Not awaited: the pair is linked already, so connecting cannot fail later.
  void server.connect(own);
  return client;
}
