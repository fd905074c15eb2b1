import { messageOf, PmlError } from '../../errors.ts';
import type { HostInfo } from './client-files.ts';
import { disconnectClient } from './connect-clients.ts';
import { readConnections, storeConnections } from './connection-list.ts';
import { pmlHome } from './init.ts';

/** Disconnects the clients that `pml init` connected. Their files keep everything else. */
export function undoConnections(host: HostInfo, print: (line: string) => void): void {
  const home = pmlHome(host);
  const connections = readConnections(home);
  if (connections.length === 0) print('pml init has connected no client.');
  const failed = connections.filter((connection) => {
    try {
      disconnectClient(connection);
      print(`Disconnected ${connection.client}.`);
      return false;
    } catch (error) {
      print(`${connection.client} is still connected: ${messageOf(error)}`);
      return true;
    }
  });
  storeConnections(home, failed);
  if (failed.length > 0) throw new PmlError('tool_failed', 'Not every client was disconnected.');
}
