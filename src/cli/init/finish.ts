import { messageOf } from '../../errors.ts';
import type { ClientFile, HostInfo } from './client-files.ts';
import { type Connection, connectClient, findConnections } from './connect-clients.ts';
import { keepConnections } from './connection-list.ts';
import type { Prompts } from './prompts.ts';

/** A server as PML started it. */
export interface StartedServer {
  name: string;
  state: string;
  problem?: string;
  tools: string[];
}

export interface FinishOptions {
  /** Connect the clients without asking; undefined to ask. */
  connect?: boolean | undefined;
  /** Start PML without asking; undefined to ask. */
  start?: boolean | undefined;
  /** Starts PML with this config, and waits for its servers. */
  startServers(config: string): Promise<StartedServer[]>;
}

type Options = HostInfo &
  FinishOptions & { yes: boolean; interactive: boolean; prompts: Prompts; print(line: string): void };

/** Offers to connect the clients and to start PML, and says what to do next. */
export async function finish(
  files: readonly ClientFile[],
  { file, home }: { file: string; home: string },
  options: Options,
): Promise<void> {
  const config = options.isGlobal ? undefined : file;
  const connections = findConnections(files, { ...options, config });
  const connected = await offerConnections(connections, home, options);
  const isStarted = await offerStart(file, options);
  if (!isStarted) options.print('Start it with `pml up`, or let a client start it: pml serve.');
  if (connected.length === 0 && connections.length > 0)
    options.print(`Connect a client later: run pml init again, or ${connections[0]?.preview}`);
  if (connected.length > 0) {
    options.print(
      'Restart the clients, or reconnect their MCP servers. `pml init --undo` disconnects them again.',
    );
    options.print(
      'They still have their own servers: switch these off there, so that no tool is listed twice.',
    );
  }
  options.print(
    'Ask your agent first: "Which servers are behind PML, and what could you do for me with them?"',
  );
}

async function offerConnections(
  connections: readonly Connection[],
  home: string,
  { connect, interactive, yes, prompts, print }: Options,
): Promise<Connection[]> {
  const isAsked = connect === undefined && interactive && !yes;
  if (connections.length === 0 || (!isAsked && !connect)) return [];
  for (const { client, preview } of connections) print(`To connect ${client}:\n  ${preview}`);
  const choices = connections.map((value) => ({ value, label: value.client }));
  const wanted = isAsked
    ? await prompts.pick('Connect which clients to PML?', { Clients: choices }, connections)
    : connections;
  const done = wanted.filter((connection) => tryToConnect(connection, print));
  if (done.length > 0) keepConnections(home, done);
  return done;
}

/** One failed client must not block the rest. */
function tryToConnect(connection: Connection, print: (line: string) => void): boolean {
  try {
    connectClient(connection);
    print(`Connected ${connection.client}. To undo: ${connection.undo}`);
    return true;
  } catch (error) {
    print(`${connection.client} was not connected: ${messageOf(error)}`);
    return false;
  }
}

/** Starts the servers only with consent: they are other people's programs. */
async function offerStart(file: string, options: Options): Promise<boolean> {
  const { start, interactive, yes, prompts, print, startServers } = options;
  const isAsked = start === undefined && interactive && !yes;
  if (!(isAsked ? await prompts.confirm('Start PML now, with these servers?') : start)) return false;
  const servers = await startServers(file);
  print(`PML runs. ${servers.length === 1 ? 'Its server' : `Its ${servers.length} servers`}:`);
  for (const { name, tools, problem } of servers) {
    const shown = tools.slice(0, SHOWN_TOOLS).join(', ');
    const more = tools.length > SHOWN_TOOLS ? `, and ${tools.length - SHOWN_TOOLS} more` : '';
    const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
    print(`  ${name}: ${problem ? `it ${problem}` : `${count}${shown ? `: ${shown}${more}` : ''}`}`);
  }
  return true;
}

const SHOWN_TOOLS = 8;
