import { connectDaemon } from '../../src/daemon/connect-daemon.js';
import type { DaemonStatus } from '../../src/daemon/index.ts';
import { VERSION } from '../../src/version.ts';
import type { Pml } from './pml.ts';

/** Returns what `pml status` shows, without starting a process. Fails when no daemon runs. */
export async function statusOf(pml: Pml): Promise<DaemonStatus> {
  const handshake = { version: VERSION, kind: 'status' };
  const connection = await connectDaemon({ env: pml.env, handshake, start: false });
  if (!connection) throw new Error(`no daemon runs on ${pml.home}`);
  connection.socket.destroy();
  return connection.reply.status as DaemonStatus;
}

export type ServerStatus = DaemonStatus['workspaces'][number]['servers'][number];

/** Finds a server by name in all workspaces. */
export async function serverOf(pml: Pml, name: string): Promise<ServerStatus> {
  const { workspaces } = await statusOf(pml);
  const found = workspaces.flatMap(({ servers }) => servers).find((server) => server.name === name);
  if (!found) throw new Error(`no server ${name}`);
  return found;
}
