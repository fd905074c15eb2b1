import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PmlError } from '../../errors.ts';
import { packageFile } from '../../package-files.js';
import type { Client, ClientFile, HostInfo } from './client-files.ts';
import { addServer, removeServer, type ServersKey } from './edit-servers.ts';
import { hasServer } from './read-client-servers.ts';
import { writeWhole } from './write-config.ts';

/** PML's name in the configs of clients. */
const NAME = 'pml';

/** A way to connect a client to PML: a command of its own, or an entry in its file. */
export interface Connection {
  client: Client;
  /** The command or the change, for people. */
  preview: string;
  /** How to take it back by hand. */
  undo: string;
  act: { run: string[]; undo: string[] } | { file: string; key: ServersKey; entry: object };
}

export interface ConnectOptions extends HostInfo {
  /** The config that clients must name; undefined if they find it by themselves. */
  config?: string | undefined;
}

/** Finds how to connect each client whose files were found. Skips those that have PML already. */
export function findConnections(files: readonly ClientFile[], options: ConnectOptions): Connection[] {
  const words = serveCommand(options);
  const claude = findProgram('claude', options.env);
  const isInClaude = files.some(
    ({ client, file }) => client === 'Claude Code' && hasServer(file, NAME, options),
  );
  const connections = files.flatMap(({ client, file }): Connection[] => {
    if (client === 'file') return [];
    // `claude mcp add` fails if Claude Code already has PML.
    if (client === 'Claude Code' && claude) return isInClaude ? [] : [byClaude(words, options)];
    // Claude Code rewrites this file all the time, so only Claude Code itself may change it.
    if (path.basename(file) === '.claude.json') return [];
    const connection = byFile(client, file, words);
    return connection ? [connection] : [];
  });
  const isFirst = ({ client }: Connection, at: number) =>
    connections.findIndex((each) => each.client === client) === at;
  return connections.filter(isFirst);
}

function byClaude(words: readonly string[], { isGlobal }: ConnectOptions): Connection {
  const scope = ['--scope', isGlobal ? 'user' : 'local'];
  const run = ['claude', 'mcp', 'add', ...scope, NAME, '--', ...words];
  const undo = ['claude', 'mcp', 'remove', ...scope, NAME];
  return { client: 'Claude Code', preview: run.join(' '), undo: undo.join(' '), act: { run, undo } };
}

/** How the files of clients differ from the usual form. */
const FORMS: Partial<Record<Client, { key: ServersKey; marks: Record<string, string> }>> = {
  'VS Code': { key: 'servers', marks: { type: 'stdio' } },
  // Older versions need the source.
  Zed: { key: 'context_servers', marks: { source: 'custom' } },
};

function byFile(client: Client, file: string, [command, ...args]: readonly string[]): Connection | undefined {
  const { key = 'mcpServers', marks = {} } = FORMS[client] ?? {};
  const entry = { ...marks, command, args };
  if (addServer(readOrEmpty(file), key, NAME, entry) === undefined) return undefined;
  return {
    client,
    preview: `${file}: add "${NAME}": ${JSON.stringify(entry)}`,
    undo: `remove "${NAME}" from "${key}" in ${file}`,
    act: { file, key, entry },
  };
}

/** Connects a client. Its file keeps everything else that it holds. */
export function connectClient({ act, client }: Connection): void {
  if ('run' in act) {
    runCommand(act.run);
    return;
  }
  const text = addServer(readOrEmpty(act.file), act.key, NAME, act.entry);
  if (text === undefined)
    throw new PmlError('config_invalid', `${act.file} changed meanwhile; ${client} was not connected.`);
  writeWhole(act.file, text, false);
}

export function disconnectClient({ act }: Pick<Connection, 'act'>): void {
  if ('run' in act) {
    runCommand(act.undo);
    return;
  }
  const text = removeServer(readOrEmpty(act.file), act.key, NAME);
  if (text !== undefined) writeWhole(act.file, text, false);
}

function runCommand([program = '', ...args]: readonly string[]): void {
  const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000 });
  if (!error && status === 0) return;
  const why = error ? error.message : stderr.trim().split('\n').at(-1) || `exit code ${status}`;
  throw new PmlError('bad_request', `${[program, ...args].join(' ')} failed: ${why}`);
}

/** The command by which a client starts PML: `pml` if the shell finds it, else this very program. */
function serveCommand({ env, config }: ConnectOptions): string[] {
  const program = findProgram('pml', env)
    ? ['pml']
    : [process.execPath, fileURLToPath(packageFile('bin/pml.js'))];
  return [...program, 'serve', ...(config === undefined ? [] : ['--config', config])];
}

function findProgram(name: string, env: HostInfo['env']): boolean {
  return (env.PATH ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, name), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
