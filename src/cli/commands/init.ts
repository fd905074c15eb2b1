import { sendAdminRequest } from '../admin-request.ts';
import type { Command, Invocation } from '../command.ts';
import type { StartedServer } from '../init/finish.ts';

export const command: Command = {
  help: `Usage: pml init [--yes] [--from FILE] [--global] [--connect] [--start]
       pml init --undo

Finds the MCP servers of Claude Code, Claude Desktop, Cursor, VS Code, Windsurf and Zed, asks which to take, and writes pml.json
here; secrets go to pml.env beside it, which only you can read. Then it offers to connect these clients to PML, and to start it.
Nothing of theirs is changed, and nothing is started, unless you say so.

  --yes        take all servers that are not switched off, without asking; connects and starts nothing by itself
  --from FILE  read this file instead of those of the known clients
  --global     write the pml.json of PML_HOME, which counts where no folder has its own
  --connect    connect the clients without asking
  --start      start PML without asking
  --undo       disconnect the clients that pml init connected`,
  options: {
    yes: { type: 'boolean', short: 'y' },
    from: { type: 'string' },
    global: { type: 'boolean' },
    connect: { type: 'boolean' },
    start: { type: 'boolean' },
    undo: { type: 'boolean' },
  },
  run: async (invocation) => {
    const { values, terminal } = invocation;
    const { currentHost } = await import('../init/current-host.ts');
    const host = currentHost();
    if (values.undo) {
      const { undoConnections } = await import('../init/undo.ts');
      return undoConnections(host, terminal.print);
    }
    const [{ init }, { terminalPrompts }] = await Promise.all([
      import('../init/init.ts'),
      import('../init/prompts.ts'),
    ]);
    await init({
      ...host,
      isGlobal: values.global === true,
      ...(typeof values.from === 'string' && { from: values.from }),
      yes: values.yes === true,
      interactive: terminal.interactive,
      ...(values.connect === true && { connect: true }),
      ...(values.start === true && { start: true }),
      prompts: terminalPrompts,
      startServers: (config) => startServers(invocation, config),
      print: terminal.print,
    });
  },
};

/** Has the daemon start the servers of a config, and waits for their tools. */
async function startServers({ terminal }: Invocation, config: string): Promise<StartedServer[]> {
  terminal.progress('Starting PML and its servers…');
  const { servers } = await sendAdminRequest<{ servers: StartedServer[] }>(
    terminal,
    { do: 'servers' },
    config,
  );
  return servers;
}
