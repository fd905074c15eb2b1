import { connectDaemon } from '../../daemon/connect-daemon.js';
import type { DaemonStatus } from '../../daemon/index.ts';
import { VERSION } from '../../version.ts';
import type { Command } from '../command.ts';
import { openBrowser } from '../open-browser.ts';
import type { Terminal } from '../terminal.ts';

export const command: Command = {
  help: `Usage: pml dashboard

Prints the address of the dashboard, and opens it in the browser where there is one. If PML serves no HTTP yet, this command does so
until ctrl-C, as pml up does.`,
  options: {},
  run: async ({ terminal }) => {
    const url = await servedUrl();
    if (url !== undefined) return show(url, terminal);
    const { serveHttp } = await import('../up/serve-http.ts');
    const request = { cwd: process.cwd(), env: process.env };
    await serveHttp(request, terminal, (opened) => show(opened, terminal));
  },
};

/** The address at which PML serves HTTP already. */
async function servedUrl(): Promise<string | undefined> {
  const handshake = { version: VERSION, kind: 'status' };
  const connection = await connectDaemon({ env: process.env, handshake, start: false });
  connection?.socket.destroy();
  return (connection?.reply.status as DaemonStatus | undefined)?.http[0];
}

function show(url: string, terminal: Terminal): void {
  const address = `${url}/`;
  // The program that opens addresses may be missing, or show nothing.
  terminal.print(address);
  if (terminal.interactive) openBrowser(address);
}
