import { mkdtempSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, type Command, httpClient } from '../support/clients.ts';
import { Home, type Started, start } from '../support/home.ts';
import { folderOf, type Peer, versionOf } from './install.ts';
import { sseClient } from './sse-client.ts';

/** A gateway, or none, between the client and one echo server. */
export interface Gateway {
  readonly name: string;
  /** The process whose tree is the gateway; undefined where there is none. */
  readonly pid: number | undefined;
  /** The tool's name behind it. */
  readonly tool: string;
  connect(): Promise<Client>;
  close(): Promise<void>;
}

/** The echo server behind every gateway: its command, and its address where it is on HTTP. */
export interface Upstream {
  readonly kind: 'stdio' | 'http';
  readonly command: Command;
  readonly url: string;
}

/** Opens every gateway that is installed and can reach such an upstream. */
export async function openGateways(upstream: Upstream): Promise<Gateway[]> {
  const peers: [Peer, (folder: string, upstream: Upstream) => Promise<Gateway>][] = [['mcp-hub', openMcpHub]];
  if (upstream.kind === 'stdio')
    peers.unshift(['supergateway', openSupergateway], ['mcp-proxy', openMcpProxy]);
  const direct = { name: 'no gateway', pid: undefined, tool: 'echo', close: async () => {} };
  const gateways: Gateway[] = [{ ...direct, connect: () => httpClient(upstream.url, 'legacy') }];
  for (const [peer, open] of peers) {
    const folder = folderOf(peer);
    if (folder !== undefined) gateways.push(await open(folder, upstream));
  }
  return [...gateways, await openPml(upstream)];
}

async function openSupergateway(folder: string, { command }: Upstream): Promise<Gateway> {
  const port = String(await freePort());
  const stdio = [command.command, ...command.args].join(' ');
  const options = ['--outputTransport', 'streamableHttp', '--stateful', '--port', port];
  const program = path.join(folder, 'dist', 'index.js');
  const started = await start(node(program, '--stdio', stdio, ...options), /(Listening on port)/i);
  return overHttp(`supergateway ${versionOf('supergateway')}`, started, port);
}

async function openMcpProxy(folder: string, { command }: Upstream): Promise<Gateway> {
  const port = String(await freePort());
  const program = path.join(folder, 'dist', 'bin', 'mcp-proxy.mjs');
  const options = ['--port', port, '--host', '127.0.0.1', '--', command.command, ...command.args];
  const started = await start(node(program, ...options), /(starting server on port)/i);
  return overHttp(`mcp-proxy ${versionOf('mcp-proxy')}`, started, port);
}

/** A hub of servers, whose clients must use the older transport: an event stream beside the requests. */
async function openMcpHub(folder: string, { kind, command, url }: Upstream): Promise<Gateway> {
  const port = String(await freePort());
  const config = path.join(mkdtempSync(path.join(tmpdir(), 'pml-bench-hub-')), 'servers.json');
  const server = kind === 'stdio' ? { command: command.command, args: command.args } : { url };
  writeFileSync(config, JSON.stringify({ mcpServers: { mini: server } }));
  const program = path.join(folder, 'dist', 'cli.js');
  const started = await start(
    node(program, '--port', port, '--config', config),
    /(HTTP_SERVER_LISTENING|MCP_HUB_READY|ready)/,
  );
  return {
    name: `mcp-hub ${versionOf('mcp-hub')}`,
    pid: started.pid,
    tool: 'mini__echo',
    connect: () => sseClient(`http://127.0.0.1:${port}/mcp`),
    close: started.stop,
  };
}

function overHttp(name: string, { pid, stop }: Started, port: string): Gateway {
  const url = `http://127.0.0.1:${port}/mcp`;
  return { name, pid, tool: 'echo', connect: () => httpClient(url, 'legacy'), close: stop };
}

function node(...args: string[]): Command {
  return { command: process.execPath, args, env: { PATH: process.env.PATH ?? '', HOME: tmpdir() } };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function openPml({ kind, command, url }: Upstream): Promise<Gateway> {
  const home = new Home({ mini: kind === 'stdio' ? command : { type: 'http', url } });
  const up = await home.up();
  const status = JSON.parse(await home.output('status', '--json')) as { pid: number };
  return {
    name: 'PML',
    pid: status.pid,
    tool: 'mcp__mini__echo',
    connect: () => httpClient(up.found[0] as string, 'legacy'),
    close: async () => {
      await up.stop();
      await home.close();
    },
  };
}
