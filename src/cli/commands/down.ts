import { attach } from '../../daemon/attach.js';
import { VERSION } from '../../version.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  help: `Usage: pml down

Stops the background process of PML_HOME: finishes the calls under way, stores what is buffered, and stops the servers.`,
  run: async ({ terminal }) => {
    const handshake = { version: VERSION, kind: 'stop' };
    const attached = await attach({ env: process.env, handshake, start: false });
    if (!attached) return terminal.print('PML is not running.');
    const { socket, reply } = attached;
    terminal.progress('Stopping…');
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    terminal.print(`PML stopped (process ${reply.pid}).`);
  },
};
