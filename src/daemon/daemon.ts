import type { Socket } from 'node:net';
import { type Config, trackedEnv, untrustedNotice } from '../config/index.ts';
import { PmlError } from '../errors.ts';
import { EventLoopWatchdog } from '../event-loop-watchdog.ts';
import { identify, type SessionIdentity, serveConnection, serveWithoutConfig } from '../gateway/index.ts';
import { homeOf } from '../home.js';
import type { HttpServer } from '../http/index.ts';
import { onChange } from '../registry/index.ts';
import { onEvidence } from '../registry/usage/index.ts';
import type { HomeLock } from '../store/index.ts';
import { VERSION } from '../version.ts';
import { serveAdminRequests } from './admin-requests.ts';
import {
  assertSameDatabase,
  type ConfigRequest,
  configProblem,
  loadClientConfig,
  principalOf,
} from './client-config.ts';
import { type Handshake, isOlder } from './handshake.ts';
import { RememberedAnswers } from './remember-answers.ts';
import {
  closeResources,
  type Env,
  openResources,
  type Resources,
  type ResourcesOptions,
} from './resources.ts';
import { socketPathOf } from './socket-path.js';
import { SocketServer, sendLine } from './socket-server.ts';
import { type DaemonStatus, statusOf } from './status.ts';
import { Workspaces } from './workspaces.ts';

const IDLE_SECONDS = 300;
/** How long a stop waits for calls under way. */
const DRAIN_MS = 5000;

/** The process that owns a home: its database, its servers and its sessions. */
export class Daemon {
  readonly home: string;
  readonly #env: Env;
  readonly #lock: HomeLock;
  readonly #resources: Resources;
  readonly #workspaces: Workspaces;
  readonly #rememberedAnswers: RememberedAnswers;
  readonly #socketServer: SocketServer;
  /** Each HTTP server with the config that it serves. */
  readonly #httpServers = new Map<HttpServer, Config>();
  readonly #watchdog: EventLoopWatchdog;
  readonly #startedAt = new Date();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #idleMs: number;
  #idleTimer: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;

  private constructor(env: Env, lock: HomeLock, resources: Resources) {
    this.#env = env;
    this.home = homeOf(env);
    this.#lock = lock;
    this.#resources = resources;
    this.#idleMs = idleSeconds(env) * 1000;
    this.#watchdog = new EventLoopWatchdog(({ cpuMs, work }) =>
      resources.log.warn(
        `the event loop was held for ${cpuMs} ms of processor time, during: ${work.join(', ') || 'unknown work'}`,
      ),
    );
    this.#workspaces = new Workspaces(resources, this.#idleMs);
    this.#rememberedAnswers = new RememberedAnswers(this.home, resources.log);
    this.#socketServer = new SocketServer({
      home: this.home,
      path: socketPathOf(this.home),
      log: resources.log,
      serve: (socket, handshake) => this.#serve(socket, handshake),
      onConnectionsChanged: () => this.#scheduleIdleStop(),
    });
  }

  /** Opens the home whose lock is given, and listens. */
  static async start(options: ResourcesOptions, lock: HomeLock): Promise<Daemon> {
    const { env } = options;
    let resources: Resources | undefined;
    try {
      resources = await openResources(options);
      const { db, log } = resources;
      for (const folder of lock.restrictedFolders)
        log.warn(`${folder} was open to other users; it no longer is`);
      const daemon = new Daemon(env, lock, resources);
      await onChange(db, (change) => daemon.#workspaces.registryChanged(change));
      await onEvidence(db, (change) => daemon.#workspaces.evidenceChanged(change));
      await daemon.#socketServer.open();
      daemon.#scheduleIdleStop();
      log.info(`PML ${VERSION} started on ${db.engine}, process ${process.pid}`);
      return daemon;
    } catch (error) {
      // The process may go on, so it must not keep a home that it does not serve.
      if (resources) await closeResources(resources);
      lock.release();
      throw error;
    }
  }

  /** Settles when the daemon has stopped, for whatever reason. */
  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  /** Waits for calls under way, stores what is buffered, and releases the home. */
  stop(why: string): Promise<void> {
    this.#stopping ??= this.#stop(why).then(this.#stopped.resolve, this.#stopped.reject);
    return this.#stopped.promise;
  }

  status(): DaemonStatus {
    return statusOf({
      home: this.home,
      engine: this.#resources.db.engine,
      startedAt: this.#startedAt,
      http: [...this.#httpServers.keys()].map(({ url }) => url),
      workspaces: this.#workspaces.list(),
    });
  }

  /** Serves a config's workspace over HTTP until the server is closed. */
  async openHttp(request: ConfigRequest): Promise<HttpServer> {
    const config = loadClientConfig(this.home, request);
    const { gateway, release } = this.#workspaces.acquire(config);
    try {
      // Loaded on demand: it takes a seventh of the daemon's load time, and `pml serve` never needs it.
      const { HttpServer } = await import('../http/index.ts');
      const server = await HttpServer.open({
        gateway,
        who: principalOf(config),
        startedAt: this.#startedAt,
        workspaces: () => this.#workspaces.entries(),
        longTurns: () => this.#watchdog.count,
        ready: async () => {
          await this.#resources.db.query('select 1');
        },
        host: config.host,
        port: config.port,
      });
      this.#httpServers.set(server, config);
      this.#scheduleIdleStop();
      void server.closed.then(() => {
        this.#httpServers.delete(server);
        release();
        this.#scheduleIdleStop();
      });
      return server;
    } catch (error) {
      release();
      throw error;
    }
  }

  async #serve(socket: Socket, handshake: Handshake): Promise<void> {
    if (this.#stopping) return refuseDraining(socket);
    // Any version may ask for the status or a stop. For all else the newest version takes over.
    const needsNewest = handshake.kind !== 'status' && handshake.kind !== 'stop';
    if (needsNewest && isOlder(VERSION, handshake.version)) {
      refuseDraining(socket);
      void this.stop(`a newer PML (${handshake.version}) takes over`);
      return;
    }
    switch (handshake.kind) {
      case 'status':
        await this.#resources.journal.flush();
        sendLine(socket, { ok: true, status: this.status() });
        socket.end();
        return;
      case 'stop':
        sendLine(socket, { ok: true, pid: process.pid });
        // The end of this connection tells the client that the home is free, so it comes last.
        this.#socketServer.connections.delete(socket);
        await this.stop('pml down');
        socket.end();
        return;
      case 'up':
        return this.#serveHttp(socket, handshake);
      case 'errands':
        return this.#serveAdminRequests(socket, handshake);
      case 'session':
        return this.#openSession(socket, handshake);
    }
  }

  async #serveHttp(socket: Socket, handshake: Handshake & { kind: 'up' }): Promise<void> {
    assertSameDatabase(this.home, this.#env, handshake.env);
    const known = this.#httpServerFor(loadClientConfig(this.home, handshake));
    if (known) {
      sendLine(socket, { ok: true, url: known.url, pid: process.pid, already: true });
      socket.end();
      return;
    }
    const server = await this.openHttp(handshake);
    socket.once('close', () => void server.close());
    socket.resume();
    sendLine(socket, { ok: true, url: server.url, pid: process.pid, status: this.status() });
  }

  /** Finds the server that serves this config at its address already. Throws if another config is served there. */
  #httpServerFor({ host, port, file }: Config): HttpServer | undefined {
    const found = [...this.#httpServers].find(
      ([{ url }, config]) => config.host === host && new URL(url).port === `${port}`,
    );
    if (!found) return undefined;
    const [server, { file: other }] = found;
    if (other === file) return server;
    throw new PmlError(
      'port_in_use',
      `Port ${port} on ${host} is in use by PML itself (process ${process.pid}), for ${other ?? 'no config file'}.`,
      { hint: 'Choose another with --port or PML_PORT, or stop it with `pml down`.' },
    );
  }

  async #serveAdminRequests(socket: Socket, handshake: Handshake & { kind: 'errands' }): Promise<void> {
    const { config, gateway, release } = this.#gatewayOf(handshake);
    sendLine(socket, { ok: true, notice: untrustedNotice(config) });
    const context = { gateway, who: principalOf(config), home: this.home };
    await serveAdminRequests(socket, context).finally(release);
  }

  #openSession(socket: Socket, handshake: Handshake & { kind: 'session' }): void {
    // A person who types a command gets the error at once. A model's client stays connected: the model reads it.
    const problem = handshake.person ? undefined : configProblem(this.home, handshake);
    if (problem) {
      this.#explainConfig(socket, handshake, problem);
      return;
    }
    const used = new Set<string>();
    const env = trackedEnv(handshake.env, used);
    const { config, gateway, release } = this.#gatewayOf({ ...handshake, env });
    const who = { ...principalOf(config), person: handshake.person === true };
    let identity: SessionIdentity;
    try {
      identity = identify(gateway, who, handshake);
    } catch (error) {
      release();
      throw error;
    }
    sendLine(socket, { ok: true, notice: untrustedNotice(config) });
    const remember = handshake.person
      ? undefined
      : this.#rememberedAnswers.writerFor(config, handshake, used);
    const served = serveConnection(socket, gateway, identity, remember);
    void served.closed.then(release);
  }

  #explainConfig(socket: Socket, handshake: Handshake & { kind: 'session' }, problem: PmlError): void {
    const { log } = this.#resources;
    log.warn(`a session has no config: ${problem.message}`);
    sendLine(socket, { ok: true, notice: problem.message });
    const mended = new PmlError('config_invalid', 'The config can be used again.', {
      hint: 'It takes effect when this MCP server is reconnected.',
    });
    serveWithoutConfig(socket, log, () => configProblem(this.home, handshake) ?? mended);
  }

  #gatewayOf(handshake: ConfigRequest) {
    assertSameDatabase(this.home, this.#env, handshake.env);
    const config = loadClientConfig(this.home, handshake);
    return { config, ...this.#workspaces.acquire(config) };
  }

  #scheduleIdleStop(): void {
    clearTimeout(this.#idleTimer);
    if (this.#socketServer.connections.size > 0 || this.#httpServers.size > 0 || this.#stopping) return;
    this.#idleTimer = setTimeout(() => void this.stop('nobody has used it for a while'), this.#idleMs);
    this.#idleTimer.unref();
  }

  async #stop(why: string): Promise<void> {
    const { log } = this.#resources;
    log.info(`stopping: ${why}`);
    clearTimeout(this.#idleTimer);
    this.#socketServer.stopListening();
    await Promise.all(this.#workspaces.list().map((workspace) => workspace.drained(DRAIN_MS)));
    await Promise.all([...this.#httpServers.keys()].map((server) => server.close()));
    await this.#workspaces.close();
    await this.#rememberedAnswers.close();
    await closeResources(this.#resources);
    this.#watchdog.stop();
    this.#socketServer.disconnectAll();
    this.#lock.release();
    log.info('stopped');
  }
}

function idleSeconds(env: Env): number {
  const given = Number(env.PML_IDLE_SECONDS);
  return env.PML_IDLE_SECONDS && given >= 0 ? given : IDLE_SECONDS;
}

function refuseDraining(socket: Socket): void {
  sendLine(socket, { error: { code: 'daemon_draining', message: 'PML is stopping.' } });
  socket.end();
}
