import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { PmlError } from '../errors.ts';
import { type Gateway, identify, StreamableEndpoint } from '../gateway/index.ts';
import type { Principal } from '../principal.ts';
import { withTimeout } from '../with-timeout.ts';
import { AgentEndpoints } from './agent-endpoints.ts';
import { Api } from './api/api.ts';
import type { ShownWorkspace } from './api/view.ts';
import { createApp } from './app.ts';
import { directListener } from './direct-listener.ts';
import { Metrics } from './metrics.ts';

export interface HttpServerOptions {
  gateway: Gateway;
  who: Principal;
  startedAt: Date;
  /** The workspaces that the dashboard can show. */
  workspaces: () => readonly ShownWorkspace[];
  /** Returns how many turns of the event loop took too long. */
  longTurns: () => number;
  /** Throws while PML cannot do its work. */
  ready: () => Promise<void>;
  host: string;
  port: number;
}

/** How long a stop waits for answers that are on their way out. */
const FLUSH_MS = 1000;
const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/** PML on HTTP: one listening address. */
export class HttpServer {
  readonly url: string;
  readonly #server: Server;
  readonly #endpoints: readonly (StreamableEndpoint | AgentEndpoints | Api)[];
  readonly #closed = Promise.withResolvers<void>();
  readonly #openResponses = new Set<ServerResponse>();
  #onAllSent: (() => void) | undefined;
  #closing = false;

  private constructor(
    server: Server,
    endpoints: readonly (StreamableEndpoint | AgentEndpoints | Api)[],
    url: string,
  ) {
    this.#server = server;
    server.on('request', (_request, response) => {
      this.#openResponses.add(response);
      response.once('close', () => {
        this.#openResponses.delete(response);
        if (this.#openResponses.size === 0) this.#onAllSent?.();
      });
    });
    this.#endpoints = endpoints;
    this.url = url;
  }

  static async open(options: HttpServerOptions): Promise<HttpServer> {
    const { gateway, who, startedAt, workspaces, ready, host, port } = options;
    const { journal, log } = gateway.resources;
    assertLoopback(host);
    const endpoint = new StreamableEndpoint(gateway, identify(gateway, who, {}));
    const agents = new AgentEndpoints(gateway, who);
    const metrics = metricsOf(options);
    const stopObserving = journal.on(({ server, success, durationMs }) =>
      metrics.observeCall(server, success, durationMs),
    );
    let url = '';
    const home = workspaces().find((one) => one.gateway === gateway) as ShownWorkspace;
    const api = new Api({ who, startedAt, home, workspaces, url: () => url, log });
    const app = createApp({ endpoint, agents, metrics, api: api.routes, ready, log });
    try {
      const fallback = getRequestListener(app.fetch, { hostname: host }) as RequestListener;
      const server = await listen(directListener({ endpoint, agents, fallback }), host, port);
      const bound = (server.address() as AddressInfo).port;
      url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
      const opened = new HttpServer(server, [endpoint, agents, api], url);
      void opened.closed.then(stopObserving);
      return opened;
    } catch (error) {
      stopObserving();
      await endpoint.close();
      throw error;
    }
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async close(): Promise<void> {
    if (this.#closing) return this.closed;
    this.#closing = true;
    await this.#flushed();
    this.#server.close();
    await Promise.all(this.#endpoints.map((endpoint) => endpoint.close()));
    await this.#allSent();
    this.#server.closeAllConnections();
    this.#closed.resolve();
  }

  /**
   * Waits until every ended response is sent, for `FLUSH_MS` at most: `close` of node:http would take their connections
   * for idle, and cut them off.
   */
  async #flushed(): Promise<void> {
    const ended = [...this.#openResponses].filter((one) => one.writableEnded && !one.writableFinished);
    const sent = ended.map((response) => new Promise((resolve) => response.once('close', resolve)));
    await withTimeout(Promise.all(sent), FLUSH_MS);
  }

  /** Waits until every response is sent, for `FLUSH_MS` at most. */
  #allSent(): Promise<void> {
    if (this.#openResponses.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, FLUSH_MS);
      this.#onAllSent = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Refuses other addresses: whoever reaches the port may use every tool, so only this machine may reach it. */
export function assertLoopback(host: string): void {
  if (LOOPBACK.includes(host)) return;
  throw new PmlError('not_allowed', `PML refuses to listen on ${host}: no authentication is configured.`, {
    hint: 'Use --host 127.0.0.1, and a tunnel (ssh -L) to reach it from elsewhere.',
  });
}

function metricsOf({ gateway, longTurns }: HttpServerOptions): Metrics {
  const { workspace, resources } = gateway;
  return new Metrics({
    sessions: () => workspace.members.size,
    upstreams: () => workspace.upstreams.map(({ name, state }) => ({ server: name, state })),
    journalBacklog: () => resources.journal.backlog,
    longTurns,
  });
}

function listen(listener: RequestListener, host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(listener);
    server.listen(port, host, () => resolve(server));
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      reject(
        new PmlError('port_in_use', `Port ${port} on ${host} is in use by another program.`, {
          hint: 'Choose another one with --port or PML_PORT, or stop that program.',
        }),
      );
    });
  });
}
