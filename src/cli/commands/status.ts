import { connectDaemon } from '../../daemon/connect-daemon.js';
import type { DaemonStatus } from '../../daemon/index.ts';
import { PmlError } from '../../errors.ts';
import { homeOf } from '../../home.js';
import { VERSION } from '../../version.ts';
import type { Command } from '../command.ts';
import { count } from '../format-text.ts';
import type { Terminal } from '../terminal.ts';

export const command: Command = {
  help: `Usage: pml status [--json]

Shows the background process of PML_HOME, its sessions, and the state of every server. Starts nothing.`,
  options: { json: { type: 'boolean' } },
  run: async ({ values, terminal }) => {
    const handshake = { version: VERSION, kind: 'status' };
    const connection = await connectDaemon({ env: process.env, handshake, start: false });
    connection?.socket.destroy();
    const status = connection?.reply.status as DaemonStatus | undefined;
    if (values.json)
      return terminal.print(JSON.stringify(status ? { running: true, ...status } : { running: false }));
    terminal.print(status ? describe(status, terminal) : `PML is not running (${homeOf(process.env)}).`);
    await warnOfConfig(terminal);
  },
};

/** Warns of a broken config in this folder: sessions that start here get no servers, and no workspace lists it. */
async function warnOfConfig(terminal: Terminal): Promise<void> {
  const { loadConfig } = await import('../../config/index.ts');
  try {
    loadConfig({ cwd: process.cwd(), env: process.env });
  } catch (error) {
    if (!(error instanceof PmlError)) throw error;
    terminal.warn(`The config of this folder cannot be used: ${error.message}`);
  }
}

function describe(status: DaemonStatus, terminal: Terminal): string {
  const lines = [
    `PML ${status.version} runs as process ${status.pid} on ${status.engine}, home ${status.home}`,
    `${count(status.sessions, 'session')}${status.http.map((url) => `, ${url}/mcp`).join('')}`,
  ];
  for (const workspace of status.workspaces) {
    lines.push(
      '',
      `${workspace.config ?? 'no config file'} (${workspace.scope}), ${count(workspace.sessions, 'session')}`,
    );
    if (workspace.untrusted) lines.push(`  ${terminal.style('yellow', workspace.untrusted)}`);
    if (workspace.noServers) lines.push(`  ${terminal.style('yellow', workspace.noServers)}`);
    for (const server of workspace.servers) {
      const colour = server.state === 'ready' ? 'green' : server.state === 'down' ? 'red' : 'yellow';
      const state = terminal.style(colour, server.state.padEnd(8));
      const tools = `${count(server.tools, 'tool')}${server.unlisted ? ', not listed: found with pml_discover' : ''}`;
      const detail = server.problem ? `it ${server.problem}` : tools;
      lines.push(`  ${server.name.padEnd(20)} ${state} ${detail}`);
    }
  }
  return lines.join('\n');
}
