import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@modelcontextprotocol/client';
import { messageOf } from '../errors.ts';
import { noteWork } from '../event-loop-watchdog.ts';
import type { JsonObject } from '../json.ts';
import type { Log } from '../log.ts';
import { PausableDeadline } from '../pausable-deadline.ts';
import type { Reaper } from '../reaper/index.ts';
import type { Redactor } from '../secrets/index.ts';
import { withTimeout } from '../with-timeout.ts';
import { ActiveCalls, type CallContext } from './active-calls.ts';
import { type Catalog, LIST_KINDS, type ListKind, NO_CATALOG, readList } from './catalog.ts';
import type { ConnectedClient, Era } from './connect.ts';
import { Connection, type UpstreamState } from './connection.ts';
import { describeProblem, hasForgottenSession, isNobodyListening } from './describe-problem.ts';
import { redactError, refusalError, upstreamError } from './errors.ts';
import { ListRefresher } from './list-refresher.ts';
import { LogLevel } from './log-level.ts';
import type { ServerMemory } from './memory.ts';
import { sendRequest } from './send-request.ts';
import type { ServerDefinition } from './server-definition.ts';
import { dispatchNotification } from './server-notifications.ts';
import { ServerOutput } from './server-output.ts';
import { Subscriptions } from './subscriptions.ts';
import { paramHeaders } from './transport/param-headers.ts';

export interface UpstreamOptions {
  server: ServerDefinition;
  log: Log;
  memory?: ServerMemory | undefined;
  remember?: (memory: ServerMemory) => void;
  startTimeoutMs?: number;
  /** Knows the secrets of the config, which the description of a failure may quote. */
  redactor?: Redactor;
  /** Ends the server's process should this one die. */
  reaper?: Pick<Reaper, 'watch'>;
}

export interface UpstreamEvents {
  /** These lists have changed. */
  changed: (kinds: ReadonlySet<ListKind>) => void;
  resourceUpdated: (uri: string, params: JsonObject) => void;
}

/** One MCP server behind PML: started, kept alive, listed and called. */
export class Upstream {
  readonly name: string;
  readonly server: ServerDefinition;
  readonly calls = new ActiveCalls();
  catalog: Catalog;
  readonly #options: UpstreamOptions;
  readonly #log: Log;
  readonly #output: ServerOutput;
  readonly #subscriptions: Subscriptions;
  readonly #logLevel: LogLevel;
  readonly #lists: ListRefresher;
  readonly #connection: Connection;
  #events: Partial<UpstreamEvents> = {};
  /** The last call, if calls wait for each other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.server = options.server;
    this.name = options.server.name;
    this.#log = options.log.labelled(this.name);
    this.#output = new ServerOutput(this.name, this.#log);
    this.#subscriptions = new Subscriptions(this.#log, () => this.#lists.mark(...LIST_KINDS));
    this.#logLevel = new LogLevel(this.#log);
    this.#lists = new ListRefresher(
      (kinds) => this.#refresh(kinds),
      (text) => this.#log.warn(text),
    );
    this.catalog = options.memory?.catalog ?? NO_CATALOG;
    this.#connection = new Connection({
      server: options.server,
      log: this.#log,
      output: this.#output,
      reaper: options.reaper,
      era: options.memory?.era,
      startTimeoutMs: options.startTimeoutMs,
      redactor: options.redactor,
      prepare: (client) => this.#prepare(client),
      connected: (connected, catalog) => this.#onConnected(connected, catalog),
    });
  }

  on(events: Partial<UpstreamEvents>): void {
    this.#events = events;
  }

  get state(): UpstreamState {
    return this.#connection.state;
  }

  /** Why the server is down, phrased to follow "it". */
  get problem(): string | undefined {
    return this.#connection.problem;
  }

  get pid(): number | null {
    return this.#connection.current?.pid() ?? null;
  }

  get era(): Era | undefined {
    return this.#connection.era;
  }

  /** Settles when the current attempt to connect has succeeded or failed. */
  settled(): Promise<void> {
    return this.#connection.settled();
  }

  /** Starts the server anew, and waits until it is up, at most `ms`. */
  async restart(ms: number): Promise<void> {
    this.#log.info('restarts, as a person asked');
    await withTimeout(this.#connection.restart(), ms);
  }

  /** Waits until the server can be called, and returns the era it speaks. */
  async ready(signal?: AbortSignal): Promise<Era> {
    return (await this.#connection.ready(signal)).era;
  }

  /** Sends one request and relays what belongs to it. Sends it again, once, if the server has forgotten the session. */
  request(method: string, params: JsonObject, call: CallContext): Promise<JsonObject> {
    const send = () => this.#send(method, params, call);
    if (!this.server.oneAtATime) return send();
    const turn = this.#turn.then(send);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #send(method: string, params: JsonObject, call: CallContext): Promise<JsonObject> {
    for (let isFirst = true; ; isFirst = false) {
      const connected = await this.#connection.ready(call.signal);
      const deadline = new PausableDeadline(this.server.timeoutMs);
      const done = this.calls.add(this.name, { ...call, deadline });
      try {
        const headers = this.#headersOf(connected, method, params);
        return await sendRequest(connected, { method, params, headers }, call, deadline);
      } catch (error) {
        if (hasForgottenSession(error) || isNobodyListening(error))
          this.#connection.lose(connected, describeProblem(error));
        if (isFirst && hasForgottenSession(error)) continue;
        const closeReason = connected.closeReason();
        const isTimedOut = deadline.remainingMs <= 0;
        const failed = { server: this.name, method, params, closeReason, isTimedOut };
        throw redactError(upstreamError(error, failed), this.#options.redactor);
      } finally {
        done();
      }
    }
  }

  async subscribe(uri: string): Promise<void> {
    await this.#subscriptions.add(uri, await this.#connection.ready(undefined));
  }

  async unsubscribe(uri: string): Promise<void> {
    await this.#subscriptions.remove(uri, this.#connection.current);
  }

  async setLogLevel(level: string): Promise<void> {
    await this.#logLevel.set(level, this.#connection.current);
  }

  async close(): Promise<void> {
    await this.#connection.close();
    this.#output.close();
  }

  #headersOf({ era }: ConnectedClient, method: string, params: JsonObject): Record<string, string> {
    const { kind } = this.server.transport;
    if (era !== 'modern' || method !== 'tools/call' || kind === 'stdio' || kind === 'in-process') return {};
    const tool = this.catalog.tools.find(({ name }) => name === params.name);
    return paramHeaders(tool?.inputSchema, params.arguments);
  }

  async #onConnected(connected: ConnectedClient, catalog: Catalog): Promise<void> {
    this.#replaceCatalog(catalog);
    void this.#logLevel.restore(connected);
    await this.#subscriptions.restore(connected);
  }

  #replaceCatalog(catalog: Catalog): void {
    noteWork('lists of', this.name);
    const kinds = new Set(LIST_KINDS.filter((kind) => !isDeepStrictEqual(this.catalog[kind], catalog[kind])));
    this.catalog = catalog;
    this.#options.remember?.({ era: this.era ?? 'legacy', catalog });
    if (kinds.size > 0) this.#events.changed?.(kinds);
  }

  async #refresh(kinds: readonly ListKind[]): Promise<void> {
    const client = this.#connection.current?.client;
    if (!client) return;
    const lists = await Promise.all(
      kinds.map(async (kind) => {
        const warn = (text: string) => this.#log.warn(text);
        return [kind, await readList(client, kind, this.server.timeoutMs, warn)] as const;
      }),
    );
    if (lists.some(([kind, list]) => !isDeepStrictEqual(this.catalog[kind], list)))
      this.#replaceCatalog({ ...this.catalog, ...Object.fromEntries(lists) });
  }

  #prepare(client: Client): void {
    client.onerror = (error) => this.#output.debug(() => messageOf(error));
    client.fallbackRequestHandler = ({ method, params }) =>
      this.calls.ask(this.name, { method, params: params as JsonObject | undefined }).catch((error) => {
        throw refusalError(error);
      });
    client.fallbackNotificationHandler = async ({ method, params }) =>
      dispatchNotification(method, params as JsonObject | undefined, {
        listsChanged: (...kinds) => this.#lists.mark(...kinds),
        resourceUpdated: (uri, updated) => this.#events.resourceUpdated?.(uri, updated),
        logMessage: (message) => this.#output.debug(() => JSON.stringify(message?.data ?? message)),
        other: (name, rest) => this.calls.owner()?.notify?.(name, rest),
      });
  }
}
