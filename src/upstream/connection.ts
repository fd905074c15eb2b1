import type { Client } from '@modelcontextprotocol/client';
import { PmlError } from '../errors.ts';
import { nextEventLoopTurn } from '../event-loop-turn.ts';
import { noteWork } from '../event-loop-watchdog.ts';
import type { Log } from '../log.ts';
import type { Reaper } from '../reaper/index.ts';
import type { Redactor } from '../secrets/index.ts';
import { storedText } from '../stored-texts.ts';
import { backoffMs } from './backoff.ts';
import { type Catalog, readCatalog } from './catalog.ts';
import { type ConnectedClient, connect, type Era } from './connect.ts';
import { describeProblem } from './describe-problem.ts';
import { unavailableError } from './errors.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { ServerOutput } from './server-output.ts';

export type UpstreamState = 'starting' | 'ready' | 'down' | 'stopped';

export interface ConnectionOptions {
  server: ServerDefinition;
  log: Log;
  output: ServerOutput;
  reaper?: Pick<Reaper, 'watch'> | undefined;
  /** The era the server spoke last time. */
  era: Era | undefined;
  startTimeoutMs: number | undefined;
  redactor: Redactor | undefined;
  /** Called before the handshake, so that no early message of the server is lost. */
  prepare: (client: Client) => void;
  /** Called after each connect, with the server's lists. */
  connected: (connected: ConnectedClient, catalog: Catalog) => Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
/** A server that dies sooner than this after its start counts as failed again, and the backoff goes on growing. */
const STABLE_MS = 30_000;
const CLIENT_CAPABILITIES = { sampling: {}, elicitation: { form: {}, url: {} } };

/** Connects to one server, and connects again when the connection is lost. */
export class Connection {
  /** Why the server is down, phrased to follow "it": `exited with code 1`. */
  problem: string | undefined;
  current: ConnectedClient | undefined;
  era: Era | undefined;
  readonly #options: ConnectionOptions;
  #state: UpstreamState = 'starting';
  #attempt: Promise<void>;
  #abort = new AbortController();
  #failures = 0;
  #connectedAt = 0;
  #retryTimer: NodeJS.Timeout | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.era = options.era;
    this.problem = options.server.cannotStart;
    // Something that the server's entry needs is missing, and will be until another config is loaded.
    if (this.#cannotStart) this.#state = 'down';
    this.#attempt = this.#cannotStart ? Promise.resolve() : this.#connect();
  }

  get #cannotStart(): boolean {
    return this.#options.server.cannotStart !== undefined;
  }

  get state(): UpstreamState {
    return this.#state;
  }

  /** Settles when the current attempt to connect has succeeded or failed. */
  settled(): Promise<void> {
    return this.#attempt;
  }

  /** Waits for a connection. If the server is down, tries once more at once. */
  async ready(signal: AbortSignal | undefined): Promise<ConnectedClient> {
    if (this.#state === 'down' && !this.#cannotStart) this.#reconnectNow();
    if (this.#state === 'starting') await abortable(this.#attempt, signal);
    if (this.#state === 'ready' && this.current) return this.current;
    throw unavailableError(this.#options.server, this.problem);
  }

  /** Gives up a client that is of no use any more. */
  lose(connected: ConnectedClient, problem?: string): void {
    if (this.current !== connected) return;
    this.current = undefined;
    void connected.client.close().catch(() => {});
    if (performance.now() - this.#connectedAt > STABLE_MS) this.#failures = 0;
    this.#retryLater(problem ?? connected.closeReason() ?? 'closed the connection');
  }

  /** Ends the connection and connects anew. Calls that come meanwhile wait for it. */
  restart(): Promise<void> {
    if (this.#isStopped() || this.#cannotStart) return this.#attempt;
    this.#abort.abort();
    const [former, before] = [this.current, this.#attempt];
    this.current = undefined;
    this.#state = 'starting';
    this.#attempt = before.then(async () => {
      clearTimeout(this.#retryTimer);
      // An attempt that was under way may have succeeded.
      const late = this.current;
      this.current = undefined;
      await Promise.all([former, late].map((one) => one?.client.close().catch(() => {})));
      if (this.#isStopped()) return;
      this.#failures = 0;
      await this.#connect();
    });
    return this.#attempt;
  }

  async close(): Promise<void> {
    this.#state = 'stopped';
    clearTimeout(this.#retryTimer);
    // A server that hangs at its start must not delay the stop.
    this.#abort.abort();
    await this.#attempt;
    await this.current?.client.close().catch(() => {});
  }

  #reconnectNow(): void {
    clearTimeout(this.#retryTimer);
    this.#attempt = this.#connect();
  }

  async #connect(): Promise<void> {
    const { server, log, output, reaper, prepare } = this.#options;
    this.#state = 'starting';
    this.#abort = new AbortController();
    const timeoutMs = this.#options.startTimeoutMs ?? START_TIMEOUT_MS;
    let connected: ConnectedClient | undefined;
    try {
      // Starting a process blocks for 10 ms and more, and a config may name dozens of servers.
      await nextEventLoopTurn();
      this.#abort.signal.throwIfAborted();
      noteWork('start of server', server.name);
      connected = await connect({
        server,
        knownEra: this.era,
        capabilities: CLIENT_CAPABILITIES,
        onOutput: (line) => output.info(line),
        reaper,
        timeoutMs,
        signal: this.#abort.signal,
        prepare,
      });
      const catalog = await readCatalog(connected.client, timeoutMs, (text) => log.warn(text));
      await this.#use(connected, catalog);
    } catch (error) {
      await connected?.client.close().catch(() => {});
      this.#retryLater(connected?.closeReason() ?? describeProblem(error));
    }
  }

  async #use(connected: ConnectedClient, catalog: Catalog): Promise<void> {
    if (this.#isStopped()) return connected.client.close();
    // The server may have died over an optional list, whose failure alone would be ignored.
    if (!connected.client.transport) throw new PmlError('upstream_failed', 'closed the connection');
    this.current = connected;
    this.era = connected.era;
    connected.client.onclose = () => this.lose(connected);
    this.#state = 'ready';
    this.problem = undefined;
    this.#connectedAt = performance.now();
    this.#options.log.info(`connected (${connected.era}), ${catalog.tools.length} tools`);
    await this.#options.connected(connected, catalog);
  }

  /** A method, since TypeScript does not expect the state to change during an await. */
  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #retryLater(reason: string): void {
    if (this.#isStopped()) return;
    // Redacted, since everyone may read it and it may quote the address or the server's words.
    const problem = storedText('problem', reason, this.#options.redactor);
    // A repeated failure is logged once.
    if (this.problem !== problem) this.#options.log.warn(`${problem}; PML keeps trying`);
    this.#state = 'down';
    this.problem = problem;
    this.#failures += 1;
    this.#retryTimer = setTimeout(() => this.#reconnectNow(), backoffMs(this.#failures)).unref();
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
