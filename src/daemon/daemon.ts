import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { loadConfig, loadSettings } from '../config/index.ts';
import { messageOf, PmlError } from '../errors.ts';
import { serveConnection } from '../gateway/index.ts';
import { homeOf } from '../home.js';
import { HttpFace } from '../http/index.ts';
import { type Log, openLog } from '../log.ts';
import { Journal } from '../runs/index.ts';
import { type Db, type HomeLock, lockHome, openDb } from '../store/index.ts';
import { UpstreamMemory } from '../upstream/index.ts';
import { VERSION } from '../version.ts';
import { DIALECT, readLine, socketPathOf } from './attach.js';
import { type DaemonStatus, Hello, isOlder } from './hello.ts';
import { Workspaces } from './workspaces.ts';

type Env = Record<string, string | undefined>;

export interface DaemonOptions {
  env: Env;
  onProgress?: (message: string) => void;
  /** Where log lines also go, for a daemon in the foreground. */
  print?: (line: string) => void;
}

const HELLO_BYTES = 4 * 1024 * 1024;
const HELLO_MS = 10_000;
const IDLE_SECONDS = 300;
/** How long a stop waits for calls under way. */
const DRAIN_MS = 5000;

/** The one owner of a home: its database, its servers, its sessions. */
export class Daemon {
  readonly home: string;
  readonly #env: Env;
  readonly #lock: HomeLock;
  readonly #db: Db;
  readonly #journal: Journal;
  readonly #workspaces: Workspaces;
  readonly #log: Log;
  readonly #startedAt = new Date();
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  readonly #faces = new Set<HttpFace>();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #idleMs: number;
  #idle: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;

  private constructor(parts: {
    env: Env;
    lock: HomeLock;
    db: Db;
    journal: Journal;
    memory: UpstreamMemory;
    log: Log;
  }) {
    this.#env = parts.env;
    this.home = homeOf(parts.env);
    this.#lock = parts.lock;
    this.#db = parts.db;
    this.#journal = parts.journal;
    this.#log = parts.log;
    this.#idleMs = idleSeconds(parts.env) * 1000;
    this.#workspaces = new Workspaces({ ...parts, keepMs: this.#idleMs });
    this.#server = createServer((socket) => void this.#receive(socket));
  }

  /** Becomes the owner of the home and listens. Null when another process owns it. */
  static async start({ env, onProgress, print }: DaemonOptions): Promise<Daemon | null> {
    const config = loadSettings(env);
    const lock = lockHome(config.home);
    if (!lock) return null;
    try {
      const log = openLog({
        level: config.logLevel,
        file: join(config.home, 'log', 'pml.log'),
        ...(print && { print }),
      });
      log.hide(config.secrets);
      const db = await openDb({
        home: config.home,
        ...(config.databaseUrl && { databaseUrl: config.databaseUrl }),
        ...(onProgress && { onProgress }),
      });
      const journal = await Journal.open(db, join(config.home, 'journal.jsonl'), log);
      const memory = await UpstreamMemory.open(db, log);
      const daemon = new Daemon({ env, lock, db, journal, memory, log });
      await daemon.#listen();
      log.info(`PML ${VERSION} started on ${db.engine}, process ${process.pid}`);
      return daemon;
    } catch (error) {
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
    const workspaces = this.#workspaces.list();
    return {
      pid: process.pid,
      version: VERSION,
      home: this.home,
      engine: this.#db.engine,
      startedAt: this.#startedAt.toISOString(),
      sessions: workspaces.reduce((sum, { sessions }) => sum + sessions.size, 0),
      http: [...this.#faces].map(({ url }) => url),
      workspaces: workspaces.map(({ config, sessions, upstreams }) => ({
        config: config.file,
        scope: `${config.scope.org}.${config.scope.project}`,
        sessions: sessions.size,
        servers: upstreams.map((one) => ({
          name: one.name,
          state: one.state,
          era: one.era,
          pid: one.pid ?? undefined,
          tools: one.catalog.tools.length,
          problem: one.problem,
        })),
      })),
    };
  }

  /** Serves a config's workspace over HTTP until the face is closed. */
  async openHttp(input: {
    cwd: string;
    env: Env;
    config?: string;
    host?: string;
    port?: number;
  }): Promise<HttpFace> {
    const { cwd, env, config: file, host, port } = input;
    const config = loadConfig({
      cwd,
      env,
      flags: { ...(file && { config: file }), ...(host && { host }), ...(port !== undefined && { port }) },
    });
    const { workspace, release } = this.#workspaces.acquire(config);
    try {
      const face = await HttpFace.open({
        workspace,
        who: { user: config.user, ...config.scope },
        log: this.#log,
        status: () => this.status(),
        backlog: () => this.#journal.backlog,
        ready: async () => {
          await this.#db.query('select 1');
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

  async #listen(): Promise<void> {
    const path = socketPathOf(this.home);
    if (process.platform !== 'win32') {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // The lock is ours, so a socket that is there has no owner.
      rmSync(path, { force: true });
    }
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      // Nobody but the owner may connect, not even between the socket's making and its chmod.
      const former = process.umask(0o177);
      this.#server.listen(path, resolve);
      process.umask(former);
    });
    if (process.platform !== 'win32') chmodSync(path, 0o600);
    this.#watchIdle();
  }

  async #receive(socket: Socket): Promise<void> {
    this.#connections.add(socket);
    this.#watchIdle();
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.#watchIdle();
    });
    socket.on('error', (error) => this.#log.debug(`socket: ${error.message}`));
    const timer = setTimeout(() => socket.destroy(), HELLO_MS);
    const line = await readLine(socket, HELLO_BYTES);
    clearTimeout(timer);
    if (line === undefined) return void socket.destroy();
    try {
      await this.#welcome(socket, parseHello(line));
    } catch (error) {
      if (!(error instanceof PmlError))
        this.#log.error(`a session could not be opened: ${(error as Error).stack}`);
      const { code, hint } = error instanceof PmlError ? error : { code: 'internal', hint: undefined };
      reply(socket, { error: { code, message: messageOf(error), hint } });
      socket.end();
    }
  }

  async #welcome(socket: Socket, hello: Hello): Promise<void> {
    if (this.#stopping) return refuseDraining(socket);
    if (isOlder(VERSION, hello.version)) {
      refuseDraining(socket);
      void this.stop(`a newer PML (${hello.version}) takes over`);
      return;
    }
    switch (hello.kind) {
      case 'status':
        await this.#journal.flush();
        reply(socket, { ok: true, status: this.status() });
        socket.end();
        return;
      case 'stop':
        reply(socket, { ok: true, pid: process.pid });
        // Its end is the word that all is done and the home is free, so it comes last.
        this.#connections.delete(socket);
        await this.stop('pml down');
        socket.end();
        return;
      case 'up':
        return this.#holdHttp(socket, hello);
      case 'session':
        return this.#openSession(socket, hello);
    }
  }

  async #holdHttp(socket: Socket, hello: Hello & { kind: 'up' }): Promise<void> {
    const { config, host, port } = hello;
    const face = await this.openHttp({
      cwd: hello.cwd,
      env: this.#sameDatabase(hello.env),
      ...(config && { config }),
      ...(host && { host }),
      ...(port !== undefined && { port }),
    });
    socket.once('close', () => void face.close());
    socket.resume();
    reply(socket, { ok: true, url: face.url, status: this.status() });
  }

  #openSession(socket: Socket, hello: Hello & { kind: 'session' }): void {
    const env = this.#sameDatabase(hello.env);
    const config = loadConfig({ cwd: hello.cwd, env, flags: hello.config ? { config: hello.config } : {} });
    if (hello.agent !== undefined) {
      throw new PmlError(
        'not_allowed',
        `Agent "${hello.agent}" cannot be served: this version has no agents yet.`,
      );
    }
    const { workspace, release } = this.#workspaces.acquire(config);
    reply(socket, { ok: true });
    const served = serveConnection(socket, workspace, { user: config.user, ...config.scope }, this.#log);
    void served.closed.then(release);
  }

  /** One home, one database: a session that means another would read and write the wrong one. */
  #sameDatabase(env: Env): Env {
    if ((env.PML_DATABASE_URL ?? '') === (this.#env.PML_DATABASE_URL ?? '')) return env;
    throw new PmlError(
      'daemon_running',
      `The PML of ${this.home} runs on another database than PML_DATABASE_URL says.`,
      {
        hint: 'Stop it with `pml down`, or set PML_HOME to another folder.',
      },
    );
  }

  #watchIdle(): void {
    clearTimeout(this.#idle);
    if (this.#connections.size > 0 || this.#faces.size > 0 || this.#stopping) return;
    this.#idle = setTimeout(() => void this.stop('nobody has used it for a while'), this.#idleMs);
    this.#idle.unref();
  }

  async #stop(why: string): Promise<void> {
    this.#log.info(`stopping: ${why}`);
    clearTimeout(this.#idle);
    this.#server.close();
    await Promise.all(this.#workspaces.list().map((workspace) => workspace.drained(DRAIN_MS)));
    await Promise.all([...this.#faces].map((face) => face.close()));
    await this.#workspaces.close();
    for (const socket of this.#connections) socket.end();
    await this.#journal.close();
    await this.#db.close();
    if (process.platform !== 'win32') rmSync(socketPathOf(this.home), { force: true });
    this.#lock.release();
    this.#log.info('stopped');
  }
}

function parseHello(line: string): Hello {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new PmlError('bad_request', 'The first line on this socket must introduce the caller.');
  }
  const { dialect } = (value ?? {}) as { dialect?: unknown };
  if (dialect !== DIALECT) {
    throw new PmlError('bad_request', `This PML's background process is of another version (${VERSION}).`, {
      hint: 'Stop it with `pml down` of the same version, and try again.',
    });
  }
  const hello = Hello.safeParse(value);
  if (!hello.success)
    throw new PmlError('bad_request', 'The introduction on this socket was not understood.');
  return hello.data;
}

function idleSeconds(env: Env): number {
  const given = Number(env.PML_IDLE_SECONDS);
  return env.PML_IDLE_SECONDS && given >= 0 ? given : IDLE_SECONDS;
}

function refuseDraining(socket: Socket): void {
  reply(socket, { error: { code: 'daemon_draining', message: 'PML is stopping.' } });
  socket.end();
}

function reply(socket: Socket, line: object): void {
  socket.write(`${JSON.stringify(line)}\n`);
}
