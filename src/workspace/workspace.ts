import { buildDirectory, type Directory } from '../access/index.ts';
import { type Config, untrustedNotice } from '../config/index.ts';
import { noteWork } from '../event-loop-watchdog.ts';
import type { Executor } from '../execute/index.ts';
import { type Change, type Listener, Session } from '../gateway/session/session.ts';
import { SuspendedCalls } from '../gateway/session/suspended-calls.ts';
import type { JsonObject } from '../json.ts';
import type { Log } from '../log.ts';
import type { Principal } from '../principal.ts';
import type { Reaper } from '../reaper/index.ts';
import { affectsToolList, type Keys, type NameCache, type RegistryChange } from '../registry/index.ts';
import { changesListing, type EvidenceChange } from '../registry/usage/index.ts';
import type { Journal } from '../runs/index.ts';
import { Redactor } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';
import { type ListKind, Upstream, type UpstreamMemory } from '../upstream/index.ts';
import { Announcer } from './announcer.ts';
import { DriftWatch } from './drift-watch.ts';
import { recordServer } from './server-records.ts';

export interface WorkspaceOptions {
  config: Config;
  journal: Journal;
  log: Log;
  memory: UpstreamMemory;
  db: Db;
  keys: Keys;
  names: NameCache;
  executor: Executor;
  reaper: Reaper;
}

/** A first list waits this long for servers never seen before. Those that need longer are announced when they come. */
const FIRST_LIST_MS = 3000;
const MAX_INSTRUCTIONS = 8000;

/** One config and scope: its servers, and the sessions that share them. */
export class Workspace {
  readonly config: Config;
  readonly journal: Journal;
  readonly log: Log;
  readonly db: Db;
  readonly keys: Keys;
  readonly names: NameCache;
  readonly executor: Executor;
  /** Knows the secrets of the config. */
  readonly redactor: Redactor;
  readonly suspended = new SuspendedCalls();
  readonly sessions = new Set<Session>();
  readonly #options: WorkspaceOptions;
  readonly #shared: Upstream[];
  readonly #private = new Map<Session, Upstream[]>();
  readonly #directories = new Map<Session | 'shared', Directory>();
  readonly #announcer: Announcer;
  readonly #drift: DriftWatch;
  readonly #firstLists: Promise<unknown>;

  constructor(options: WorkspaceOptions) {
    this.#options = options;
    this.config = options.config;
    this.journal = options.journal;
    this.log = options.log;
    this.db = options.db;
    this.keys = options.keys;
    this.names = options.names;
    this.executor = options.executor;
    this.redactor = new Redactor(options.config.secrets);
    this.#announcer = new Announcer((changes) => this.#announce(changes));
    this.#drift = new DriftWatch(options);
    this.#shared = this.#start(options.config.servers.filter((server) => !server.perSession));
    this.#firstLists = this.#patience(this.#shared);
  }

  get upstreams(): readonly Upstream[] {
    return [...this.#shared, ...[...this.#private.values()].flat()];
  }

  /** Settles once every server has been listed, or has had its time. Servers known from before delay nobody. */
  listsReady(): Promise<unknown> {
    return this.#firstLists;
  }

  /** Opens a session. `oneClient` is false where the protocol does not tell clients apart. */
  open(who: Principal, listener: Listener, oneClient = true): Session {
    const session = new Session(this, who, listener, oneClient);
    this.sessions.add(session);
    const own = this.config.servers.filter((server) => server.perSession);
    if (own.length > 0) this.#private.set(session, this.#start(own, session));
    return session;
  }

  async leave(session: Session): Promise<void> {
    this.sessions.delete(session);
    this.suspended.leave(session.id);
    this.#directories.delete(session);
    const own = this.#private.get(session) ?? [];
    this.#private.delete(session);
    await Promise.all(own.map((upstream) => upstream.close()));
  }

  directoryOf(session: Session): Directory {
    const own = this.#private.get(session);
    const key = own ? session : 'shared';
    const known = this.#directories.get(key);
    if (known) return known;
    noteWork('directory of tools');
    const directory = buildDirectory(own ? this.#inConfigOrder([...this.#shared, ...own]) : this.#shared);
    this.#directories.set(key, directory);
    return directory;
  }

  /** Capabilities were named, renamed or retired: those who see them hear of it. */
  registryChanged(change: RegistryChange | 'unknown'): void {
    const { org, project } = this.config.scope;
    const isHere = (one: RegistryChange) => one.org === org && one.project === project;
    if (change === 'unknown') this.#announcer.add(['tools'], 'all');
    else if (isHere(change) && affectsToolList(change))
      this.#announcer.add(['tools'], this.#seenBy(change.only));
  }

  /** Calls may have brought a capability back into the list, or out of it. */
  evidenceChanged(change: EvidenceChange): void {
    const { scope, lifecycle } = this.config;
    if (change.org !== scope.org || change.project !== scope.project) return;
    if (changesListing(change, lifecycle)) this.#announcer.add(['tools'], this.#seenBy(change.only));
  }

  /** What the servers tell the model about themselves, or why there are none. */
  instructions(): string {
    const parts = this.#shared
      .filter(({ catalog }) => catalog.instructions)
      .map(({ name, catalog }) => `## ${name}\n${catalog.instructions}`);
    const notice = untrustedNotice(this.config);
    return [...(notice ? [notice] : []), ...parts].join('\n\n').slice(0, MAX_INSTRUCTIONS);
  }

  /** A shared server logs as much as the most curious session wants; each session then hears its own share. */
  forwardLogLevel(levels: readonly string[]): void {
    const wanted = [...this.sessions].flatMap(({ relay }) =>
      relay.logLevel ? [levels.indexOf(relay.logLevel)] : [],
    );
    const level = levels[Math.min(...wanted)];
    // A server that does not answer must not keep the client waiting.
    if (level) for (const upstream of this.upstreams) void upstream.setLogLevel(level);
  }

  /** Waits for the calls under way, but not for ever. */
  async drained(ms: number): Promise<void> {
    await atMost(Promise.all(this.upstreams.map(({ calls }) => calls.idle())), ms);
    // One turn more, in which the last answers are handed over to their clients' streams.
    await new Promise((resolve) => setImmediate(resolve));
  }

  async close(): Promise<void> {
    this.suspended.close();
    this.#announcer.close();
    await Promise.all([...this.sessions].map((session) => session.close()));
    await Promise.all(this.#shared.map((upstream) => upstream.close()));
    await this.#drift.close();
  }

  #start(servers: Config['servers'], owner?: Session): Upstream[] {
    const { log, memory, reaper } = this.#options;
    return servers.map((server) => {
      const upstream = new Upstream({
        server,
        log,
        reaper,
        memory: memory.recall(this.config.scope, server),
        remember: (seen) => memory.remember(this.config.scope, server, seen, this.redactor),
        redactor: this.redactor,
      });
      upstream.on({
        changed: (kinds) => {
          this.#changed(kinds, owner);
          void recordServer(this.#options, upstream);
          if (kinds.has('tools')) this.#drift.look(upstream);
        },
        resourceUpdated: (uri, params) => this.#resourceUpdated(upstream, uri, params, owner),
      });
      void upstream.settled().then(() => {
        void recordServer(this.#options, upstream);
        this.#drift.look(upstream);
      });
      return upstream;
    });
  }

  async #patience(upstreams: readonly Upstream[]): Promise<void> {
    const unknown = upstreams.filter(({ catalog }) => Object.keys(catalog.server).length === 0);
    await atMost(Promise.all(unknown.map((upstream) => upstream.settled())), FIRST_LIST_MS);
  }

  #changed(kinds: ReadonlySet<ListKind>, owner: Session | undefined): void {
    if (owner) this.#directories.delete(owner);
    else this.#directories.clear();
    const changes = new Set<Change>([...kinds].map((kind) => (kind === 'templates' ? 'resources' : kind)));
    this.#announcer.add(changes, owner ? [owner] : 'all');
  }

  /** The sessions whose list a change concerns: what is private is nobody else's to hear of. */
  #seenBy(only: string | null | undefined): Session[] | 'all' {
    return only == null ? 'all' : [...this.sessions].filter(({ who }) => who.user === only);
  }

  #announce(changes: ReadonlyMap<Change, ReadonlySet<Session> | 'all'>): void {
    for (const [change, whom] of changes) {
      for (const session of whom === 'all' ? this.sessions : whom) session.listener.listChanged(change);
    }
  }

  #resourceUpdated(upstream: Upstream, own: string, params: JsonObject, owner: Session | undefined): void {
    for (const session of owner ? [owner] : this.sessions) {
      for (const uri of session.watches.concerned(upstream, own)) {
        session.listener.resourceUpdated(uri, { ...params, uri });
      }
    }
  }

  #inConfigOrder(upstreams: Upstream[]): Upstream[] {
    const order = new Map(this.config.servers.map(({ name }, index) => [name, index]));
    return upstreams.sort((a, b) => (order.get(a.name) ?? 0) - (order.get(b.name) ?? 0));
  }
}

async function atMost(event: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([event, enough]);
  clearTimeout(timer);
}
