import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { ServerConfig } from '../config/index.ts';
import { messageOf, PmlError } from '../errors.ts';
import type { Log } from '../log.ts';
import { backoffMs } from './backoff.ts';
import { type CallContext, CallsUnderWay } from './calls.ts';
import { type Catalog, LIST_KINDS, type Listed, type ListKind, readCatalog, readList } from './catalog.ts';
import { type Connection, connect, type Era } from './connect.ts';
import { LogLevel } from './log-level.ts';
import type { Memory } from './memory.ts';
import { paramHeaders } from './param-headers.ts';
import { hasForgottenSession, isNobodyThere, problemOf } from './problem.ts';
import { Refresher } from './refresher.ts';
import { Subscriptions } from './subscriptions.ts';
import { answerWith, failureOf, refusalOf } from './translate.ts';

export type UpstreamState = 'starting' | 'ready' | 'down' | 'stopped';

export interface UpstreamOptions {
  server: ServerConfig;
  log: Log;
  memory?: Memory | undefined;
  remember?: (memory: Memory) => void;
  startTimeoutMs?: number;
}

export interface UpstreamEvents {
  /** One of the lists is not what it was. */
  changed: (kinds: ReadonlySet<ListKind>) => void;
  resourceUpdated: (uri: string, params: Listed) => void;
}

const RAW = z.unknown();
const START_TIMEOUT_MS = 60_000;
/** A server that dies sooner than this after its start has failed again, and is not started again at once. */
const STABLE_MS = 30_000;
const CLIENT_CAPABILITIES = { sampling: {}, elicitation: { form: {}, url: {} } };
const NO_CATALOG: Catalog = {
  server: {},
  instructions: '',
  capabilities: {},
  tools: [],
  prompts: [],
  resources: [],
  templates: [],
};

/** One MCP server behind PML: started, kept alive, listed and called. */
export class Upstream {
  readonly name: string;
  readonly server: ServerConfig;
  readonly calls = new CallsUnderWay();
  /** Why it is down, in words that follow "it". */
  problem: string | undefined;
  catalog: Catalog;
  readonly #options: UpstreamOptions;
  readonly #log: Log;
  readonly #subscriptions: Subscriptions;
  readonly #logLevel: LogLevel;
  readonly #refresher: Refresher;
  #events: Partial<UpstreamEvents> = {};
  #state: UpstreamState = 'starting';
  #era: Era | undefined;
  #connection: Connection | undefined;
  #attempt: Promise<void>;
  #giveUp = new AbortController();
  #failures = 0;
  #readySince = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.server = options.server;
    this.name = options.server.name;
    this.#log = options.log.labelled(this.name);
    this.#subscriptions = new Subscriptions(this.#log, () => this.#refresher.mark(...LIST_KINDS));
    this.#logLevel = new LogLevel(this.#log);
    this.#refresher = new Refresher(
      (kinds) => this.#reread(kinds),
      (text) => this.#log.warn(text),
    );
    this.catalog = options.memory?.catalog ?? NO_CATALOG;
    this.#era = options.memory?.era;
    this.#attempt = this.#connect();
  }

  on(events: Partial<UpstreamEvents>): void {
    this.#events = events;
  }

  get state(): UpstreamState {
    return this.#state;
  }

  get pid(): number | null {
    return this.#connection?.pid() ?? null;
  }

  get era(): Era | undefined {
    return this.#era;
  }

  /** Settles when the current attempt to connect has ended, well or not. */
  settled(): Promise<void> {
    return this.#attempt;
  }

  /** Waits until the server can be called, and says which era it speaks. */
  async ready(signal?: AbortSignal): Promise<Era> {
    return (await this.#ready(signal)).era;
  }

  /** Sends one request and relays what belongs to it. A dead server is tried once more first. */
  async request(method: string, params: Listed, call: CallContext): Promise<Listed> {
    for (let again = true; ; again = false) {
      const connection = await this.#ready(call.signal);
      const done = this.calls.add(call);
      try {
        return await this.#exchange(connection, method, params, call);
      } catch (error) {
        if (hasForgottenSession(error) || isNobodyThere(error)) this.#lost(connection, problemOf(error));
        if (!again || !hasForgottenSession(error))
          throw failureOf(error, { server: this.name, method, params, ending: connection.ending() });
      } finally {
        done();
      }
    }
  }

  async subscribe(uri: string): Promise<void> {
    await this.#subscriptions.add(uri, await this.#ready(undefined));
  }

  async unsubscribe(uri: string): Promise<void> {
    await this.#subscriptions.drop(uri, this.#connection);
  }

  async setLogLevel(level: string): Promise<void> {
    await this.#logLevel.set(level, this.#connection);
  }

  async close(): Promise<void> {
    this.#state = 'stopped';
    clearTimeout(this.#retry);
    // A server that hangs at its start must not hold up the stop.
    this.#giveUp.abort();
    await this.#attempt;
    await this.#connection?.client.close().catch(() => {});
  }

  async #exchange(
    connection: Connection,
    method: string,
    params: Listed,
    call: CallContext,
  ): Promise<Listed> {
    const { client } = connection;
    const options = {
      headers: this.#headersOf(connection, method, params),
      timeout: this.server.timeoutMs,
      resetTimeoutOnProgress: true,
      // Asked for always: progress is what keeps a long call from timing out.
      onprogress: (progress: Listed) => call.onprogress?.(progress),
      allowInputRequired: true,
      ...(call.signal && { signal: call.signal }),
    };
    let next = params;
    for (;;) {
      const result = (await client.request({ method, params: next }, RAW, options)) as Listed;
      if (result?.resultType !== 'input_required' || call.handsBackQuestions) return result;
      next = { ...params, ...(await answerWith(result, call)) };
    }
  }

  #headersOf({ era }: Connection, method: string, params: Listed): Record<string, string> {
    if (era !== 'modern' || method !== 'tools/call' || this.server.transport.kind === 'stdio') return {};
    const tool = this.catalog.tools.find(({ name }) => name === params.name);
    return paramHeaders(tool?.inputSchema, params.arguments);
  }

  async #ready(signal: AbortSignal | undefined): Promise<Connection> {
    if (this.#state === 'down') this.#reconnectNow();
    if (this.#state === 'starting') await abortable(this.#attempt, signal);
    if (this.#state === 'ready' && this.#connection) return this.#connection;
    const why = this.problem ?? 'was stopped';
    throw new PmlError('upstream_unreachable', `Server "${this.name}" is not available: it ${why}.`, {
      hint: 'Run `pml doctor` to see what is wrong with it. PML keeps trying.',
    });
  }

  #reconnectNow(): void {
    clearTimeout(this.#retry);
    this.#attempt = this.#connect();
  }

  async #connect(): Promise<void> {
    this.#state = 'starting';
    this.#giveUp = new AbortController();
    const timeoutMs = this.#options.startTimeoutMs ?? START_TIMEOUT_MS;
    let connection: Connection | undefined;
    try {
      connection = await connect({
        server: this.server,
        remembered: this.#era,
        capabilities: CLIENT_CAPABILITIES,
        onOutput: (line) => this.#log.info(line),
        timeoutMs,
        signal: this.#giveUp.signal,
        prepare: (client) => this.#prepare(client),
      });
      const catalog = await readCatalog(connection.client, timeoutMs, (text) => this.#log.warn(text));
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
    this.#connection = connection;
    this.#era = connection.era;
    connection.client.onclose = () => this.#lost(connection);
    this.#state = 'ready';
    this.problem = undefined;
    this.#readySince = performance.now();
    this.#log.info(`connected (${connection.era}), ${catalog.tools.length} tools`);
    this.#replace(catalog);
    void this.#logLevel.restore(connection);
    await this.#subscriptions.restore(connection);
  }

  /** Asked after waiting, when it may have become true. */
  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #lost(connection: Connection, problem?: string): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    void connection.client.close().catch(() => {});
    if (performance.now() - this.#readySince > STABLE_MS) this.#failures = 0;
    this.#failed(problem ?? connection.ending() ?? 'closed the connection');
  }

  #failed(problem: string): void {
    if (this.#isStopped()) return;
    // The same failure again is no news.
    if (this.problem !== problem) this.#log.warn(`${problem}; PML keeps trying`);
    this.#state = 'down';
    this.problem = problem;
    this.#failures += 1;
    this.#retry = setTimeout(() => this.#reconnectNow(), backoffMs(this.#failures)).unref();
  }

  #replace(catalog: Catalog): void {
    const kinds = new Set(LIST_KINDS.filter((kind) => !isDeepStrictEqual(this.catalog[kind], catalog[kind])));
    this.catalog = catalog;
    this.#options.remember?.({ era: this.#era ?? 'legacy', catalog });
    if (kinds.size > 0) this.#events.changed?.(kinds);
  }

  async #reread(kinds: readonly ListKind[]): Promise<void> {
    const client = this.#connection?.client;
    if (!client) return;
    const lists = await Promise.all(
      kinds.map(async (kind) => {
        const warn = (text: string) => this.#log.warn(text);
        return [kind, await readList(client, kind, this.server.timeoutMs, warn)] as const;
      }),
    );
    this.#replace({ ...this.catalog, ...Object.fromEntries(lists) });
  }

  #prepare(client: Client): void {
    client.onerror = (error) => this.#log.debug(messageOf(error));
    client.fallbackRequestHandler = ({ method, params }) =>
      this.calls.ask(this.name, { method, params: params as Listed | undefined }).catch((error) => {
        throw refusalOf(error);
      });
    client.fallbackNotificationHandler = async ({ method, params }) => this.#hear(method, params as Listed);
  }

  #hear(method: string, params: Listed | undefined): void {
    switch (method) {
      case 'notifications/tools/list_changed':
        this.#refresher.mark('tools');
        break;
      case 'notifications/prompts/list_changed':
        this.#refresher.mark('prompts');
        break;
      case 'notifications/resources/list_changed':
        this.#refresher.mark('resources', 'templates');
        break;
      case 'notifications/resources/updated':
        if (typeof params?.uri === 'string') this.#events.resourceUpdated?.(params.uri, params);
        break;
      default:
        if (method === 'notifications/message') this.#log.debug(JSON.stringify(params?.data ?? params));
        this.calls.owner()?.notify?.(method, params);
    }
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
