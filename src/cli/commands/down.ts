import { connectDaemon } from '../../daemon/connect-daemon.js';
import { VERSION } from '../../version.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  help: `Usage: pml down

Stops the background process of PML_HOME: finishes the calls under way, stores what is buffered, and stops the servers.`,
  run: async ({ terminal }) => {
    const handshake = { version: VERSION, kind: 'stop' };
    const connection = await connectDaemon({ env: process.env, handshake, start: false });
    if (!connection) return terminal.print('PML is not running.');
    const { socket, reply } = connection;
    terminal.progress('Stopping…');
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    terminal.print(`PML stopped (process ${reply.pid}).`);
  },
};
