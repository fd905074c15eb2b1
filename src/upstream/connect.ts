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
import type { Reaper } from '../reaper/index.ts';
import { HttpLimits } from './transport/http-limits.ts';
import { ProcessTransport } from './transport/process-transport.ts';

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
  reaper?: Pick<Reaper, 'watch'> | undefined;
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
  const line = openLine(options);
  try {
    return await attempt(options, line, prior);
  } catch (error) {
    if (signal.aborted) throw error;
    // Some old servers exit at a request they do not know; these get a second life, without the probe.
    if (!prior && line.transport instanceof ProcessTransport && diedOfProbe(line.transport)) {
      return attempt(options, openLine(options), LEGACY);
    }
    if (server.transport.kind !== 'http' || line.ending() || !refusesStreamableHttp(error)) throw error;
    return attempt(options, openRemote(server.transport, 'sse'), LEGACY);
  }
}

/** A transport, and what is known of its other end. */
interface Line extends Pick<Connection, 'ending' | 'pid'> {
  readonly transport: Transport;
}

async function attempt(
  options: ConnectOptions,
  { transport, ending, pid }: Line,
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
    const why = ending();
    throw why ? new PmlError('upstream_failed', why, { cause: error }) : error;
  }
  return { client, era: client.getProtocolEra() ?? 'legacy', ending, pid };
}

function openLine({ server, onOutput, reaper }: ConnectOptions): Line {
  const { transport: config } = server;
  if (config.kind !== 'stdio') return openRemote(config, config.kind);
  const env = { ...getDefaultEnvironment(), ...config.env };
  const transport = new ProcessTransport({ ...config, env, onOutput, reaper });
  return { transport, ending: () => transport.ending, pid: () => transport.pid };
}

function openRemote(
  { url, headers }: { url: string; headers: Record<string, string> },
  kind: 'http' | 'sse',
): Line {
  const limits = new HttpLimits();
  const Remote = kind === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport;
  const transport = new Remote(new URL(url), { requestInit: { headers }, fetch: limits.fetch });
  return { transport: limits.guard(transport), ending: () => limits.ending, pid: () => null };
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
