import type { Socket } from 'node:net';
import {
  type Config,
  type ConfigInput,
  loadConfig,
  openTrustStore,
  untrustedNotice,
} from '../config/index.ts';
import { PmlError } from '../errors.ts';
import { EventLoopWatchdog } from '../event-loop-watchdog.ts';
import { serveConnection } from '../gateway/index.ts';
import { homeOf } from '../home.js';
import { HttpServer } from '../http/index.ts';
import type { Principal } from '../principal.ts';
import { onChange, onEvidence } from '../registry/index.ts';
import type { HomeLock } from '../store/index.ts';
import { VERSION } from '../version.ts';
import { serveAdminRequests } from './admin-requests.ts';
import { type DaemonStatus, type Handshake, isOlder } from './handshake.ts';
import {
  closeResources,
  type Env,
  openResources,
  type Resources,
  type ResourcesOptions,
} from './resources.ts';
import { socketPathOf } from './socket-path.js';
import { reply, SocketServer } from './socket-server.ts';
import { statusOf } from './status.ts';
import { Workspaces } from './workspaces.ts';

const IDLE_SECONDS = 300;
/** How long a stop waits for calls under way. */
const DRAIN_MS = 5000;

export interface HttpRequest {
  cwd: string;
  env: Env;
  config?: string | undefined;
  host?: string | undefined;
  port?: number | undefined;
}

/** The one owner of a home: its database, its servers, its sessions. */
export class Daemon {
  readonly home: string;
  readonly #env: Env;
  readonly #lock: HomeLock;
  readonly #parts: Resources;
  readonly #workspaces: Workspaces;
  readonly #door: SocketServer;
  readonly #faces = new Set<HttpServer>();
  readonly #watchdog: EventLoopWatchdog;
  readonly #startedAt = new Date();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #idleMs: number;
  #idle: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;

  private constructor(env: Env, lock: HomeLock, parts: Resources) {
    this.#env = env;
    this.home = homeOf(env);
    this.#lock = lock;
    this.#parts = parts;
    this.#idleMs = idleSeconds(env) * 1000;
    this.#watchdog = new EventLoopWatchdog(({ cpuMs, work }) =>
      parts.log.warn(
        `the event loop was held for ${cpuMs} ms of processor time, during: ${work.join(', ') || 'unknown work'}`,
      ),
    );
    this.#workspaces = new Workspaces({ ...parts, keepMs: this.#idleMs });
    this.#door = new SocketServer({
      home: this.home,
      path: socketPathOf(this.home),
      log: parts.log,
      welcome: (socket, hello) => this.#welcome(socket, hello),
      onTraffic: () => this.#watchIdle(),
    });
  }

  /** Becomes the owner of the home, whose lock is given, and listens. */
  static async start(options: ResourcesOptions, lock: HomeLock): Promise<Daemon> {
    const { env } = options;
    let parts: Resources | undefined;
    try {
      parts = await openResources(options);
      for (const folder of lock.closed) parts.log.warn(`${folder} was open to other users; it no longer is`);
      const daemon = new Daemon(env, lock, parts);
      await onChange(parts.db, (change) => daemon.#workspaces.registryChanged(change));
      await onEvidence(parts.db, (change) => daemon.#workspaces.evidenceChanged(change));
      await daemon.#door.open();
      daemon.#watchIdle();
      parts.log.info(`PML ${VERSION} started on ${parts.db.engine}, process ${process.pid}`);
      return daemon;
    } catch (error) {
      // A process that stays must not hold what it could not serve.
      if (parts) await closeResources(parts);
      lock.release();
      throw error;
    }
  }

  /** Settles when the daemon has stopped, for whatever reason. */
  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  /** Finishes what runs, stores what is buffered, and lets go of the home. */
  stop(why: string): Promise<void> {
    this.#stopping ??= this.#stop(why).then(this.#stopped.resolve, this.#stopped.reject);
    return this.#stopped.promise;
  }

  status(): DaemonStatus {
    return statusOf({
      home: this.home,
      engine: this.#parts.db.engine,
      startedAt: this.#startedAt,
      http: [...this.#faces].map(({ url }) => url),
      workspaces: this.#workspaces.list(),
    });
  }

  /** Serves a config's workspace over HTTP until the face is closed. */
  async openHttp({ cwd, env, config: file, host, port }: HttpRequest): Promise<HttpServer> {
    const flags = {
      ...(file && { config: file }),
      ...(host && { host }),
      ...(port !== undefined && { port }),
    };
    const config = this.#load({ cwd, env, flags });
    const { workspace, release } = this.#workspaces.acquire(config);
    const { log, journal, db } = this.#parts;
    try {
      const face = await HttpServer.open({
        workspace,
        who: principalOf(config),
        log,
        status: () => this.status(),
        backlog: () => journal.backlog,
        longTurns: () => this.#watchdog.count,
        ready: async () => {
          await db.query('select 1');
        },
        host: config.host,
        port: config.port,
      });
      this.#faces.add(face);
      this.#watchIdle();
      void face.closed.then(() => {
        this.#faces.delete(face);
        release();
        this.#watchIdle();
      });
      return face;
    } catch (error) {
      release();
      throw error;
    }
  }

  async #welcome(socket: Socket, hello: Handshake): Promise<void> {
    if (this.#stopping) return refuseDraining(socket);
    // One who only looks, or stops it, can do so across versions.
    const stays = hello.kind !== 'status' && hello.kind !== 'stop';
    if (stays && isOlder(VERSION, hello.version)) {
      refuseDraining(socket);
      void this.stop(`a newer PML (${hello.version}) takes over`);
      return;
    }
    switch (hello.kind) {
      case 'status':
        await this.#parts.journal.flush();
        reply(socket, { ok: true, status: this.status() });
        socket.end();
        return;
      case 'stop':
        reply(socket, { ok: true, pid: process.pid });
        // Its end is the word that all is done and the home is free, so it comes last.
        this.#door.connections.delete(socket);
        await this.stop('pml down');
        socket.end();
        return;
      case 'up':
        return this.#holdHttp(socket, hello);
      case 'errands':
        return this.#serveAdminRequests(socket, hello);
      case 'session':
        return this.#openSession(socket, hello);
    }
  }

  async #holdHttp(socket: Socket, hello: Handshake & { kind: 'up' }): Promise<void> {
    const face = await this.openHttp({ ...hello, env: this.#sameDatabase(hello.env) });
    socket.once('close', () => void face.close());
    socket.resume();
    reply(socket, { ok: true, url: face.url, status: this.status() });
  }

  async #serveAdminRequests(socket: Socket, hello: Handshake & { kind: 'errands' }): Promise<void> {
    const { config, workspace, release } = this.#workspaceOf(hello);
    reply(socket, { ok: true, notice: untrustedNotice(config) });
    await serveAdminRequests(socket, {
      workspace,
      who: principalOf(config),
      home: this.home,
      log: this.#parts.log,
    }).finally(release);
  }

  #openSession(socket: Socket, hello: Handshake & { kind: 'session' }): void {
    if (hello.agent !== undefined) {
      throw new PmlError(
        'not_allowed',
        `Agent "${hello.agent}" cannot be served: this version has no agents yet.`,
      );
    }
    const { config, workspace, release } = this.#workspaceOf(hello);
    reply(socket, { ok: true, notice: untrustedNotice(config) });
    const served = serveConnection(socket, workspace, principalOf(config), this.#parts.log);
    void served.closed.then(release);
  }

  #workspaceOf({ cwd, env, config: file }: Handshake & { kind: 'session' | 'errands' }) {
    const config = this.#load({ cwd, env: this.#sameDatabase(env), flags: file ? { config: file } : {} });
    return { config, ...this.#workspaces.acquire(config) };
  }

  /** What this home trusts decides, whatever home the caller's environment speaks of. */
  #load(input: ConfigInput): Config {
    return loadConfig({ ...input, trust: openTrustStore(this.home) });
  }

  /** One home, one database: a session that means another would read and write the wrong one. */
  #sameDatabase(env: Env): Env {
    if ((env.PML_DATABASE_URL ?? '') === (this.#env.PML_DATABASE_URL ?? '')) return env;
    throw new PmlError(
      'daemon_running',
      `The PML of ${this.home} runs on another database than PML_DATABASE_URL says.`,
      { hint: 'Stop it with `pml down`, or set PML_HOME to another folder.' },
    );
  }

  #watchIdle(): void {
    clearTimeout(this.#idle);
    if (this.#door.connections.size > 0 || this.#faces.size > 0 || this.#stopping) return;
    this.#idle = setTimeout(() => void this.stop('nobody has used it for a while'), this.#idleMs);
    this.#idle.unref();
  }

  async #stop(why: string): Promise<void> {
    const { log } = this.#parts;
    log.info(`stopping: ${why}`);
    clearTimeout(this.#idle);
    this.#door.shut();
    await Promise.all(this.#workspaces.list().map((workspace) => workspace.drained(DRAIN_MS)));
    await Promise.all([...this.#faces].map((face) => face.close()));
    await this.#workspaces.close();
    await closeResources(this.#parts);
    this.#watchdog.stop();
    this.#door.clear();
    this.#lock.release();
    log.info('stopped');
  }
}

function principalOf({ user, scope, admin }: Config): Principal {
  return { user, ...scope, admin };
}

function idleSeconds(env: Env): number {
  const given = Number(env.PML_IDLE_SECONDS);
  return env.PML_IDLE_SECONDS && given >= 0 ? given : IDLE_SECONDS;
}

function refuseDraining(socket: Socket): void {
  reply(socket, { error: { code: 'daemon_draining', message: 'PML is stopping.' } });
  socket.end();
}
