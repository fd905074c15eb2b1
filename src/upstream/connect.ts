import {
  Client,
  type PriorDiscovery,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import type { ServerConfig } from '../config/index.ts';
import { messageOf, PmlError } from '../errors.ts';
import { inOrder } from './inbox.ts';
import { ProcessTransport } from './process-transport.ts';

export type Era = 'legacy' | 'modern';

export interface Connection {
  readonly client: Client;
  readonly era: Era;
  /** Why the connection ended, where the transport knows. */
  ending(): string | undefined;
  pid(): number | null;
}

export interface ConnectOptions {
  server: ServerConfig;
  /** The era this server spoke last time: spares the probe, and with it the servers that die of it. */
  remembered: Era | undefined;
  /** What PML tells the server that its client can do. */
  capabilities: Record<string, object>;
  onOutput: (line: string) => void;
  timeoutMs: number;
  /** Ends the connection, at whatever point it is. */
  signal: AbortSignal;
  /** Called before the handshake, so that nothing the server says early is lost. */
  prepare: (client: Client) => void;
}

/** A silent stdio server is taken for an old one after this long; only until its era is remembered. */
const PROBE_MS = 5000;

const LEGACY: PriorDiscovery = { kind: 'legacy' };

/** Connects to one server, in the era it speaks. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { server, signal } = options;
  const prior = options.remembered === 'legacy' ? LEGACY : undefined;
  const transport = openTransport(options);
  try {
    return await attempt(options, transport, prior);
  } catch (error) {
    if (signal.aborted) throw error;
    // Some old servers exit at a request they do not know; these get a second life, without the probe.
    if (!prior && transport instanceof ProcessTransport && diedOfProbe(transport)) {
      return attempt(options, openTransport(options), LEGACY);
    }
    if (server.transport.kind !== 'http' || !refusesStreamableHttp(error)) throw error;
    return attempt(options, openSse(server.transport), LEGACY);
  }
}

async function attempt(
  options: ConnectOptions,
  transport: Transport,
  prior: PriorDiscovery | undefined,
): Promise<Connection> {
  const client = new Client(
    { name: 'pml', title: 'PML', version: '1' },
    {
      capabilities: options.capabilities,
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.min(PROBE_MS, options.timeoutMs) } },
    },
  );
  options.prepare(client);
  options.signal.addEventListener('abort', () => void transport.close(), { once: true });
  try {
    await client.connect(transport, { timeout: options.timeoutMs, ...(prior && { prior }) });
  } catch (error) {
    await transport.close().catch(() => {});
    const ending = transport instanceof ProcessTransport ? transport.ending : undefined;
    throw ending ? new PmlError('upstream_failed', ending, { cause: error }) : error;
  }
  return {
    client,
    era: client.getProtocolEra() ?? 'legacy',
    ending: () => (transport instanceof ProcessTransport ? transport.ending : undefined),
    pid: () => (transport instanceof ProcessTransport ? transport.pid : null),
  };
}

function openTransport({ server, onOutput }: ConnectOptions): Transport {
  const { transport } = server;
  if (transport.kind === 'stdio') {
    const env = { ...getDefaultEnvironment(), ...transport.env };
    return new ProcessTransport({ ...transport, env, onOutput });
  }
  if (transport.kind === 'sse') return openSse(transport);
  return new StreamableHTTPClientTransport(new URL(transport.url), {
    requestInit: { headers: transport.headers },
  });
}

function openSse(transport: { url: string; headers: Record<string, string> }): Transport {
  return inOrder(
    new SSEClientTransport(new URL(transport.url), { requestInit: { headers: transport.headers } }),
  );
}

function diedOfProbe(transport: ProcessTransport): boolean {
  return transport.ending !== undefined && !transport.ending.startsWith('could not be started');
}

function refusesStreamableHttp(error: unknown): boolean {
  const status = (error as { status?: unknown; code?: unknown }).status ?? (error as { code?: unknown }).code;
  return (
    [400, 404, 405, 406].includes(Number(status)) ||
    /\b(400|404|405|406)\b|Method Not Allowed|Not Found/i.test(messageOf(error))
  );
}
