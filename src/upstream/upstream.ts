import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@modelcontextprotocol/client';
import type { ServerConfig } from '../config/index.ts';
import { messageOf, PmlError } from '../errors.ts';
import { noteWork } from '../event-loop-watchdog.ts';
import type { JsonObject } from '../json.ts';
import type { Log } from '../log.ts';
import { PausableDeadline } from '../pausable-deadline.ts';
import type { Reaper } from '../reaper/index.ts';
import type { Redactor } from '../secrets/index.ts';
import { storedText } from '../texts.ts';
import { type CallContext, CallsUnderWay } from './calls.ts';
import { type Catalog, LIST_KINDS, type ListKind, NO_CATALOG, readList } from './catalog.ts';
import type { Connection, Era } from './connect.ts';
import { Link, type UpstreamState } from './connection.ts';
import { hasForgottenSession, isNobodyThere, problemOf } from './describe-problem.ts';
import { failureOf, refusalOf } from './errors.ts';
import { LogLevel } from './log-level.ts';
import type { Memory } from './memory.ts';
import { paramHeaders } from './param-headers.ts';
import { Refresher } from './refresher.ts';
import { exchange } from './send-request.ts';
import { ServerOutput } from './server-output.ts';
import { Subscriptions } from './subscriptions.ts';

export interface UpstreamOptions {
  server: ServerConfig;
  log: Log;
  memory?: Memory | undefined;
  remember?: (memory: Memory) => void;
  startTimeoutMs?: number;
  /** Knows the secrets of the config: what is told of a failure may quote them. */
  redactor?: Redactor;
  /** Ends the server's process should this one die. */
  reaper?: Pick<Reaper, 'watch'>;
}

export interface UpstreamEvents {
  /** One of the lists is not what it was. */
  changed: (kinds: ReadonlySet<ListKind>) => void;
  resourceUpdated: (uri: string, params: JsonObject) => void;
}

/** One MCP server behind PML: started, kept alive, listed and called. */
export class Upstream {
  readonly name: string;
  readonly server: ServerConfig;
  readonly calls = new CallsUnderWay();
  catalog: Catalog;
  readonly #options: UpstreamOptions;
  readonly #log: Log;
  readonly #output: ServerOutput;
  readonly #subscriptions: Subscriptions;
  readonly #logLevel: LogLevel;
  readonly #refresher: Refresher;
  #events: Partial<UpstreamEvents> = {};
  readonly #link: Link;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.server = options.server;
    this.name = options.server.name;
    this.#log = options.log.labelled(this.name);
    this.#output = new ServerOutput(this.name, this.#log);
    this.#subscriptions = new Subscriptions(this.#log, () => this.#refresher.mark(...LIST_KINDS));
    this.#logLevel = new LogLevel(this.#log);
    this.#refresher = new Refresher(
      (kinds) => this.#reread(kinds),
      (text) => this.#log.warn(text),
    );
    this.catalog = options.memory?.catalog ?? NO_CATALOG;
    this.#link = new Link({
      server: options.server,
      log: this.#log,
      output: this.#output,
      reaper: options.reaper,
      era: options.memory?.era,
      startTimeoutMs: options.startTimeoutMs,
      redactor: options.redactor,
      prepare: (client) => this.#prepare(client),
      connected: (connection, catalog) => this.#connected(connection, catalog),
    });
  }

  on(events: Partial<UpstreamEvents>): void {
    this.#events = events;
  }

  get state(): UpstreamState {
    return this.#link.state;
  }

  /** Why it is down, in words that follow "it". */
  get problem(): string | undefined {
    return this.#link.problem;
  }

  get pid(): number | null {
    return this.#link.connection?.pid() ?? null;
  }

  get era(): Era | undefined {
    return this.#link.era;
  }

  /** Settles when the current attempt to connect has ended, well or not. */
  settled(): Promise<void> {
    return this.#link.settled();
  }

  /** Waits until the server can be called, and says which era it speaks. */
  async ready(signal?: AbortSignal): Promise<Era> {
    return (await this.#link.ready(signal)).era;
  }

  /** Sends one request and relays what belongs to it. A dead server is tried once more first. */
  async request(method: string, params: JsonObject, call: CallContext): Promise<JsonObject> {
    for (let again = true; ; again = false) {
      const connection = await this.#link.ready(call.signal);
      const patience = new PausableDeadline(this.server.timeoutMs);
      const done = this.calls.add({ ...call, patience });
      try {
        const headers = this.#headersOf(connection, method, params);
        return await exchange(connection, { method, params, headers }, call, patience);
      } catch (error) {
        if (hasForgottenSession(error) || isNobodyThere(error)) this.#link.lost(connection, problemOf(error));
        if (!again || !hasForgottenSession(error))
          throw this.#shown(
            failureOf(error, {
              server: this.name,
              method,
              params,
              ending: connection.ending(),
              isLate: patience.remainingMs <= 0,
            }),
          );
      } finally {
        done();
      }
    }
  }

  async subscribe(uri: string): Promise<void> {
    await this.#subscriptions.add(uri, await this.#link.ready(undefined));
  }

  async unsubscribe(uri: string): Promise<void> {
    await this.#subscriptions.drop(uri, this.#link.connection);
  }

  async setLogLevel(level: string): Promise<void> {
    await this.#logLevel.set(level, this.#link.connection);
  }

  async close(): Promise<void> {
    await this.#link.close();
    this.#output.close();
  }

  /** PML's own words about a failure, as everyone may read them. */
  #shown(failure: unknown): unknown {
    if (!(failure instanceof PmlError)) return failure;
    const { code, message, hint, cause } = failure;
    return new PmlError(code, storedText('problem', message, this.#options.redactor), {
      cause,
      ...(hint && { hint }),
    });
  }

  #headersOf({ era }: Connection, method: string, params: JsonObject): Record<string, string> {
    if (era !== 'modern' || method !== 'tools/call' || this.server.transport.kind === 'stdio') return {};
    const tool = this.catalog.tools.find(({ name }) => name === params.name);
    return paramHeaders(tool?.inputSchema, params.arguments);
  }

  async #connected(connection: Connection, catalog: Catalog): Promise<void> {
    this.#replace(catalog);
    void this.#logLevel.restore(connection);
    await this.#subscriptions.restore(connection);
  }

  #replace(catalog: Catalog): void {
    noteWork('lists of', this.name);
    const kinds = new Set(LIST_KINDS.filter((kind) => !isDeepStrictEqual(this.catalog[kind], catalog[kind])));
    this.catalog = catalog;
    this.#options.remember?.({ era: this.era ?? 'legacy', catalog });
    if (kinds.size > 0) this.#events.changed?.(kinds);
  }

  async #reread(kinds: readonly ListKind[]): Promise<void> {
    const client = this.#link.connection?.client;
    if (!client) return;
    const lists = await Promise.all(
      kinds.map(async (kind) => {
        const warn = (text: string) => this.#log.warn(text);
        return [kind, await readList(client, kind, this.server.timeoutMs, warn)] as const;
      }),
    );
    if (lists.some(([kind, list]) => !isDeepStrictEqual(this.catalog[kind], list)))
      this.#replace({ ...this.catalog, ...Object.fromEntries(lists) });
  }

  #prepare(client: Client): void {
    client.onerror = (error) => this.#output.debug(() => messageOf(error));
    client.fallbackRequestHandler = ({ method, params }) =>
      this.calls.ask(this.name, { method, params: params as JsonObject | undefined }).catch((error) => {
        throw refusalOf(error);
      });
    client.fallbackNotificationHandler = async ({ method, params }) =>
      this.#hear(method, params as JsonObject);
  }

  #hear(method: string, params: JsonObject | undefined): void {
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
        if (method === 'notifications/message')
          this.#output.debug(() => JSON.stringify(params?.data ?? params));
        this.calls.owner()?.notify?.(method, params);
    }
  }
}
