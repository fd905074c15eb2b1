import type { Client } from '@modelcontextprotocol/client';
import type { ServerConfig } from '../config/index.ts';
import { PmlError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Reaper } from '../reaper/index.ts';
import type { Redactor } from '../secrets/index.ts';
import { storedText } from '../texts.ts';
import { backoffMs } from './backoff.ts';
import { type Catalog, readCatalog } from './catalog.ts';
import { type Connection, connect, type Era } from './connect.ts';
import { problemOf } from './describe-problem.ts';
import type { ServerOutput } from './server-output.ts';

export type UpstreamState = 'starting' | 'ready' | 'down' | 'stopped';

export interface LinkOptions {
  server: ServerConfig;
  log: Log;
  output: ServerOutput;
  reaper?: Pick<Reaper, 'watch'> | undefined;
  /** The era the server spoke last time. */
  era: Era | undefined;
  startTimeoutMs: number | undefined;
  redactor: Redactor | undefined;
  /** Called before the handshake, so that nothing the server says early is lost. */
  prepare: (client: Client) => void;
  /** Called each time it is connected, with what the server offers. */
  connected: (connection: Connection, catalog: Catalog) => Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
/** A server that dies sooner than this after its start has failed again, and is not started again at once. */
const STABLE_MS = 30_000;
const CLIENT_CAPABILITIES = { sampling: {}, elicitation: { form: {}, url: {} } };

/** The connection to one server: made, kept, and made again when it is lost. */
export class Link {
  /** Why it is down, in words that follow "it". */
  problem: string | undefined;
  connection: Connection | undefined;
  era: Era | undefined;
  readonly #options: LinkOptions;
  #state: UpstreamState = 'starting';
  #attempt: Promise<void>;
  #giveUp = new AbortController();
  #failures = 0;
  #readySince = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.era = options.era;
    this.#attempt = this.#connect();
  }

  get state(): UpstreamState {
    return this.#state;
  }

  /** Settles when the current attempt to connect has ended, well or not. */
  settled(): Promise<void> {
    return this.#attempt;
  }

  /** The connection, once there is one. A dead server is tried once more first. */
  async ready(signal: AbortSignal | undefined): Promise<Connection> {
    if (this.#state === 'down') this.#reconnectNow();
    if (this.#state === 'starting') await abortable(this.#attempt, signal);
    if (this.#state === 'ready' && this.connection) return this.connection;
    const why = this.problem ?? 'was stopped';
    const { name } = this.#options.server;
    throw new PmlError('upstream_unreachable', `Server "${name}" is not available: it ${why}.`, {
      hint: 'Run `pml doctor` to see what is wrong with it. PML keeps trying.',
    });
  }

  /** This connection is of no use any more. */
  lost(connection: Connection, problem?: string): void {
    if (this.connection !== connection) return;
    this.connection = undefined;
    void connection.client.close().catch(() => {});
    if (performance.now() - this.#readySince > STABLE_MS) this.#failures = 0;
    this.#failed(problem ?? connection.ending() ?? 'closed the connection');
  }

  async close(): Promise<void> {
    this.#state = 'stopped';
    clearTimeout(this.#retry);
    // A server that hangs at its start must not hold up the stop.
    this.#giveUp.abort();
    await this.#attempt;
    await this.connection?.client.close().catch(() => {});
  }

  #reconnectNow(): void {
    clearTimeout(this.#retry);
    this.#attempt = this.#connect();
  }

  async #connect(): Promise<void> {
    const { server, log, output, reaper, prepare } = this.#options;
    this.#state = 'starting';
    this.#giveUp = new AbortController();
    const timeoutMs = this.#options.startTimeoutMs ?? START_TIMEOUT_MS;
    let connection: Connection | undefined;
    try {
      connection = await connect({
        server,
        remembered: this.era,
        capabilities: CLIENT_CAPABILITIES,
        onOutput: (line) => output.info(line),
        reaper,
        timeoutMs,
        signal: this.#giveUp.signal,
        prepare,
      });
      const catalog = await readCatalog(connection.client, timeoutMs, (text) => log.warn(text));
      await this.#adopt(connection, catalog);
    } catch (error) {
      await connection?.client.close().catch(() => {});
      this.#failed(connection?.ending() ?? problemOf(error));
    }
  }

  async #adopt(connection: Connection, catalog: Catalog): Promise<void> {
    if (this.#isStopped()) return connection.client.close();
    // It may have died over a list that it could be used without.
    if (!connection.client.transport) throw new PmlError('upstream_failed', 'closed the connection');
    this.connection = connection;
    this.era = connection.era;
    connection.client.onclose = () => this.lost(connection);
    this.#state = 'ready';
    this.problem = undefined;
    this.#readySince = performance.now();
    this.#options.log.info(`connected (${connection.era}), ${catalog.tools.length} tools`);
    await this.#options.connected(connection, catalog);
  }

  /** Asked after waiting, when it may have become true. */
  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #failed(why: string): void {
    if (this.#isStopped()) return;
    // Everyone may read it, and it may quote the address or what the server said.
    const problem = storedText('problem', why, this.#options.redactor);
    // The same failure again is no news.
    if (this.problem !== problem) this.#options.log.warn(`${problem}; PML keeps trying`);
    this.#state = 'down';
    this.problem = problem;
    this.#failures += 1;
    this.#retry = setTimeout(() => this.#reconnectNow(), backoffMs(this.#failures)).unref();
  }
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new PmlError('cancelled', 'The call was cancelled.'));
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
