import { join } from 'node:path';
import { loadConfig, openTrustStore, readEffects, untrustedNotice } from '../../config/index.ts';
import { connectDaemon } from '../../daemon/connect-daemon.js';
import { Daemon } from '../../daemon/index.ts';
import { messageOf, PmlError } from '../../errors.ts';
import { homeOf } from '../../home.js';
import { assertLoopback } from '../../http/index.ts';
import { type HomeLock, lockHome } from '../../store/index.ts';
import { VERSION } from '../../version.ts';
import { stopOnSignal } from '../stop-on-signal.ts';
import type { Terminal } from '../terminal.ts';

export type UpRequest = {
  cwd: string;
  env: NodeJS.ProcessEnv;
  config?: string;
  host?: string;
  port?: number;
};

/** Serves HTTP until ctrl-C, in this process or in the daemon that runs already. */
export async function serveHttp(
  request: UpRequest,
  terminal: Terminal,
  onServed: (url: string) => void = () => {},
): Promise<void> {
  await checkRequest(request, terminal);
  const lock = lockHome(homeOf(process.env));
  if (lock) await serveInThisProcess(lock, request, terminal, onServed);
  else await serveInDaemon(request, terminal, onServed);
}

/** Checks the request before a home is made and a database started for it. */
async function checkRequest(
  { cwd, env, config: named, host, port }: UpRequest,
  terminal: Terminal,
): Promise<void> {
  const flags = {
    ...(named && { config: named }),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
  };
  const config = loadConfig({ cwd, env, flags });
  assertLoopback(config.host);
  const notice = untrustedNotice(config);
  if (!notice || config.file === null) return;
  const trusted = terminal.interactive && (await askForTrust(config.file, config.home, terminal));
  if (!trusted) terminal.warn(notice);
}

/** Asks whether to trust the file. The answer counts for what was shown, not for a change made meanwhile. */
async function askForTrust(file: string, home: string, terminal: Terminal): Promise<boolean> {
  const { fingerprint, lines } = readEffects(file);
  terminal.print(`${file} is not trusted yet. With it, PML does this in your name:\n`);
  for (const line of lines) terminal.print(`  ${line}`);
  if (!/^y/i.test(await terminal.ask('\nTrust it? [y/N] '))) return false;
  openTrustStore(home).add(file, fingerprint);
  return true;
}

/** Becomes the daemon, until ctrl-C. */
async function serveInThisProcess(
  lock: HomeLock,
  request: UpRequest,
  terminal: Terminal,
  onServed: (url: string) => void,
): Promise<void> {
  const print = (line: string) => void process.stderr.write(`${line}\n`);
  const daemon = await Daemon.start({ env: process.env, onProgress: terminal.progress, print }, lock);
  stopOnSignal(daemon);
  try {
    const { url } = await daemon.openHttp(request);
    printAddresses(url, terminal);
    onServed(url);
  } catch (error) {
    await daemon.stop(messageOf(error));
    throw error;
  }
  await daemon.stopped;
  setTimeout(() => process.exit(), 1000).unref();
}

/** Has the running daemon serve HTTP for as long as this process holds its connection. */
async function serveInDaemon(
  request: UpRequest,
  terminal: Terminal,
  onServed: (url: string) => void,
): Promise<void> {
  const handshake = { version: VERSION, kind: 'up', ...request };
  const connection = await connectDaemon({ env: process.env, handshake, onProgress: terminal.progress });
  if (!connection) throw new PmlError('daemon_unreachable', 'PML could not be reached.');
  const { socket, reply } = connection;
  const where = `in process ${reply.pid}`;
  if (reply.already) return printAddresses(String(reply.url), terminal, `PML already runs ${where}.`, DOWN);
  printAddresses(String(reply.url), terminal, `PML ${VERSION}, ${where}, which runs already`);
  onServed(String(reply.url));
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      isStopping = true;
      socket.end();
    });
  }
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  if (!isStopping) {
    throw new PmlError(
      'daemon_unreachable',
      "PML's background process ended, and its HTTP address with it.",
      {
        hint: `Run pml up to start it again. Its log: ${join(homeOf(process.env), 'log', 'pml.log')}`,
      },
    );
  }
}

const DOWN = 'Stop it with ctrl-C where it was started, or with pml down.';

function printAddresses(
  url: string,
  terminal: Terminal,
  title = `PML ${VERSION}`,
  stop = 'Stop with ctrl-C.',
): void {
  const snippet = JSON.stringify({ mcpServers: { pml: { type: 'http', url: `${url}/mcp` } } });
  terminal.print(`${title}

  MCP gateway  ${terminal.style('cyan', `${url}/mcp`)}
  Dashboard    ${terminal.style('cyan', `${url}/`)}

Connect a client:

  claude mcp add --transport http pml ${url}/mcp
  ${snippet}

${stop}`);
}
