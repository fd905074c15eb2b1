import {
  Client,
  type PriorDiscovery,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { messageOf, PmlError } from '../errors.ts';
import type { Reaper } from '../reaper/index.ts';
import type { ServerDefinition } from './server-definition.ts';
import { HttpLimits } from './transport/http-limits.ts';
import { HttpTransport } from './transport/http-transport.ts';
import type { StdioCalls } from './transport/stdio-calls.ts';
import { StdioTransport } from './transport/stdio-transport.ts';

export type Era = 'legacy' | 'modern';

export interface ConnectedClient {
  readonly client: Client;
  readonly era: Era;
  /** Sends calls below the SDK, if the transport can. */
  readonly calls?: StdioCalls | undefined;
  /** Why the connection closed, if it did and the transport knows. */
  closeReason(): string | undefined;
  pid(): number | null;
}

export interface ConnectOptions {
  server: Pick<ServerDefinition, 'transport'>;
  /** The era that the server spoke last time. If known, the probe is skipped: some servers exit at it. */
  knownEra: Era | undefined;
  /** The client capabilities that PML declares to the server. */
  capabilities: Record<string, object>;
  onOutput: (line: string) => void;
  reaper?: Pick<Reaper, 'watch'> | undefined;
  timeoutMs: number;
  /** Ends the connection at any point. */
  signal: AbortSignal;
  /** Called before the handshake, so that no early message of the server is lost. */
  prepare: (client: Client) => void;
}

/** After this time without an answer, a stdio server of unknown era is taken for a legacy one. */
const PROBE_MS = 5000;

const NO_HANDSHAKE = 'did not answer the handshake';

const LEGACY: PriorDiscovery = { kind: 'legacy' };

/** Connects to one server, in the era it speaks. */
export async function connect(options: ConnectOptions): Promise<ConnectedClient> {
  const { server, signal } = options;
  const prior = options.knownEra === 'legacy' ? LEGACY : undefined;
  const opened = openTransport(options);
  try {
    return await connectOver(options, opened, prior);
  } catch (error) {
    if (signal.aborted) throw error;
    // Some old servers exit at a request that they do not know: these are started again, without the probe.
    if (!prior && opened.transport instanceof StdioTransport && diedOfProbe(opened.transport)) {
      return connectOver(options, openTransport(options), LEGACY);
    }
    if (server.transport.kind !== 'http' || opened.closeReason() || !refusesStreamableHttp(error))
      throw error;
    return connectOver(options, openRemote(server.transport, 'sse'), LEGACY);
  }
}

/** A transport, and what it knows of the server. */
interface OpenTransport extends Pick<ConnectedClient, 'closeReason' | 'pid'> {
  readonly transport: Transport;
}

async function connectOver(
  options: ConnectOptions,
  { transport, closeReason, pid }: OpenTransport,
  prior: PriorDiscovery | undefined,
): Promise<ConnectedClient> {
  const client = new Client(
    { name: 'pml', title: 'PML', version: '1' },
    {
      capabilities: options.capabilities,
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.min(PROBE_MS, options.timeoutMs) } },
    },
  );
  options.prepare(client);
  const start = client.connect(transport, { timeout: options.timeoutMs, ...(prior && { prior }) });
  const ended = endOf(options, transport);
  try {
    await Promise.race([start, ended.promise]);
  } catch (error) {
    ended.clear();
    start.catch(() => {});
    await transport.close().catch(() => {});
    const reason = closeReason();
    if (reason) throw new PmlError('upstream_failed', reason, { cause: error });
    const isLate = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
    throw isLate ? new PmlError('upstream_failed', NO_HANDSHAKE, { cause: error }) : error;
  }
  ended.clear();
  const era = client.getProtocolEra() ?? 'legacy';
  const calls = era === 'legacy' && transport instanceof StdioTransport ? transport.calls : undefined;
  return { client, era, calls, closeReason, pid };
}

/**
 * Rejects when the connection is aborted, at any time, or its start takes too long. The SDK does not: its transport for old
 * servers waits for the first event of the stream without a limit, even after it was closed.
 */
function endOf({ signal, timeoutMs }: ConnectOptions, transport: Transport) {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  // Later than the SDK's own timeouts for the probe and the handshake, whose errors say more.
  const tooLate = () => reject(new PmlError('upstream_failed', NO_HANDSHAKE));
  const timer = setTimeout(tooLate, timeoutMs + Math.min(PROBE_MS, timeoutMs)).unref();
  const abort = () => {
    clearTimeout(timer);
    reject(new PmlError('cancelled', 'was stopped while it was starting'));
    void transport.close();
  };
  signal.addEventListener('abort', abort, { once: true });
  return { promise, clear: () => clearTimeout(timer) };
}

function openTransport({ server, onOutput, reaper }: ConnectOptions): OpenTransport {
  const { transport: config } = server;
  if (config.kind === 'in-process')
    return { transport: config.open(), closeReason: () => undefined, pid: () => null };
  if (config.kind !== 'stdio') return openRemote(config, config.kind);
  const env = { ...getDefaultEnvironment(), ...config.env };
  const transport = new StdioTransport({ ...config, env, onOutput, reaper });
  return { transport, closeReason: () => transport.closeReason, pid: () => transport.pid };
}

function openRemote(
  { url, headers }: { url: string; headers: Record<string, string> },
  kind: 'http' | 'sse',
): OpenTransport {
  const limits = new HttpLimits();
  const transport =
    kind === 'sse'
      ? new SSEClientTransport(new URL(url), { requestInit: { headers }, fetch: limits.fetch })
      : new HttpTransport(new URL(url), headers, limits);
  return { transport: limits.applyTo(transport), closeReason: () => limits.closeReason, pid: () => null };
}

function diedOfProbe(transport: StdioTransport): boolean {
  return transport.closeReason !== undefined && !transport.closeReason.startsWith('could not be started');
}

function refusesStreamableHttp(error: unknown): boolean {
  const status = (error as { status?: unknown; code?: unknown }).status ?? (error as { code?: unknown }).code;
  return (
    [400, 404, 405, 406].includes(Number(status)) ||
    /\b(400|404|405|406)\b|Method Not Allowed|Not Found/i.test(messageOf(error))
  );
}
