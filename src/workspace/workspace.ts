import { type AgentCapabilityRegistry, buildRegistry } from '../access/agents/index.ts';
import { buildDirectory, type Directory } from '../access/index.ts';
import { atMost } from '../at-most.ts';
import type { Config, ServerConfig } from '../config/index.ts';
import type { Embeddings } from '../discovery/index.ts';
import { noteWork } from '../event-loop-watchdog.ts';
import type { Log } from '../log.ts';
import type { Reaper } from '../reaper/index.ts';
import { affectsToolList, type RegistryChange } from '../registry/index.ts';
import { changesListing, type EvidenceChange } from '../registry/usage/index.ts';
import { Redactor } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';
import { type Catalog, type ListKind, Upstream, type UpstreamMemory } from '../upstream/index.ts';
import { type Announcements, Announcer } from './announcer.ts';
import { DriftWatch } from './drift-watch.ts';
import { leastSevere } from './log-levels.ts';
import type { ListName, Member } from './member.ts';
import { WorkspaceSearch } from './search/workspace-search.ts';
import { recordServer } from './server-records.ts';
import { isListed, type ServerSummary, summarizeServer } from './server-summary.ts';
import { UnlistedServers } from './unlisted-servers.ts';

export interface WorkspaceOptions {
  config: Config;
  log: Log;
  db: Db;
  memory: UpstreamMemory;
  reaper: Reaper;
  embeddings: Embeddings;
}

/** The first list waits this long for servers never seen before. Slower ones are announced when they are listed. */
const FIRST_LIST_MS = 3000;

/** One config and scope: its servers, and the members that share them. */
export class Workspace {
  readonly config: Config;
  /** Knows the secrets of the config. */
  readonly redactor: Redactor;
  /** Knows what agents can be given. */
  readonly agentCapabilities: AgentCapabilityRegistry;
  /** Finds tools and capabilities by intent. */
  readonly search: WorkspaceSearch;
  readonly #options: WorkspaceOptions;
  readonly #members = new Set<Member>();
  readonly #shared: Upstream[];
  readonly #private = new Map<Member, Upstream[]>();
  readonly #directories = new Map<Member | 'shared', Directory>();
  readonly #announcer: Announcer;
  readonly #driftWatch: DriftWatch;
  readonly #firstLists: Promise<void>;
  readonly #unlisted: UnlistedServers;
  /** Servers that run only to be listed. */
  #listing: readonly Upstream[] = [];

  constructor(options: WorkspaceOptions) {
    const { config, db, log, embeddings } = options;
    this.#options = options;
    this.config = config;
    this.redactor = new Redactor(config.secrets);
    this.#announcer = new Announcer((announcements) => this.#announce(announcements));
    this.#driftWatch = new DriftWatch({ db, scope: config.scope, log });
    this.#unlisted = new UnlistedServers(config);
    this.#shared = this.#start(config.servers.filter((server) => !server.perSession));
    this.#firstLists = firstListsOf(this.#shared);
    this.agentCapabilities = buildRegistry(config, { catalogOf: (server) => this.#catalogOf(server) });
    if (Object.keys(config.agents).length > 0) this.#listUnknown();
    const sharedTools = () => this.#sharedDirectory().tools;
    const vectors = embeddings.vectorsFor(config.discovery.embeddings, this.redactor);
    this.search = new WorkspaceSearch({ config, db, log, sharedTools, vectors });
  }

  get members(): ReadonlySet<Member> {
    return this.#members;
  }

  get upstreams(): readonly Upstream[] {
    return [...this.#shared, ...[...this.#private.values()].flat()];
  }

  /** Settles once every server is listed or has had its time. Servers listed from memory delay nobody. */
  listsReady(): Promise<void> {
    return this.#firstLists;
  }

  /** Waits for a server that a member can reach and that was never listed. One that was, or is not starting, delays nobody. */
  async serverListed(member: Member, name: string, signal: AbortSignal): Promise<void> {
    const reachable = [...this.#shared, ...(this.#private.get(member) ?? [])];
    const server = reachable.find((one) => one.name === name);
    // A server that fails to start has no tools; the caller finds that out.
    if (server?.state === 'starting' && !isListed(server)) await server.ready(signal).catch(() => {});
  }

  /** Admits a member, and starts the servers that each member has to itself. */
  join(member: Member): void {
    this.#members.add(member);
    const own = this.config.servers.filter((server) => server.perSession);
    if (own.length > 0) this.#private.set(member, this.#start(own, member));
  }

  async leave(member: Member): Promise<void> {
    this.#members.delete(member);
    this.#directories.delete(member);
    const own = this.#private.get(member) ?? [];
    this.#private.delete(member);
    await Promise.all(own.map((upstream) => upstream.close()));
  }

  directoryOf(member: Member): Directory {
    const own = this.#private.get(member);
    return own
      ? this.#directory(member, this.#inConfigOrder([...this.#shared, ...own]))
      : this.#sharedDirectory();
  }

  /** Announces that capabilities were named, renamed or retired, to those who can see them. */
  registryChanged(change: RegistryChange | 'unknown'): void {
    this.search.registryChanged(change);
    const { org, project } = this.config.scope;
    const isHere = (one: RegistryChange) => one.org === org && one.project === project;
    if (change === 'unknown') this.#announcer.add(['tools'], 'all');
    else if (isHere(change) && affectsToolList(change))
      this.#announcer.add(['tools'], this.#membersSeeing(change.only));
  }

  /** Announces the list of tools if calls brought a capability into it, or out of it. */
  evidenceChanged(change: EvidenceChange): void {
    const { scope, lifecycle } = this.config;
    if (change.org !== scope.org || change.project !== scope.project) return;
    if (changesListing(change, lifecycle)) this.#announcer.add(['tools'], this.#membersSeeing(change.only));
  }

  /** The servers whose tools are not listed. */
  get unlistedServers(): ReadonlySet<string> {
    return this.#unlisted.names;
  }

  /** Summarizes the servers in the order of the config. Those that start with a member are known from memory before. */
  serversOf(member: Member | undefined): ServerSummary[] {
    const own = (member && this.#private.get(member)) ?? [];
    const running = new Map([...this.#shared, ...own].map((upstream) => [upstream.name, upstream]));
    return this.config.servers.map((server) => {
      const { name } = server;
      const isOffered = !this.unlistedServers.has(name);
      const upstream = running.get(name);
      if (upstream) return summarizeServer(upstream, isOffered);
      const catalog = this.#catalogOf(server);
      return summarizeServer({ name, server, state: 'starting', problem: undefined, catalog }, isOffered);
    });
  }

  /** Sets every server to the least severe level that any member wants. Each member then filters for itself. */
  forwardLogLevel(): void {
    const level = leastSevere([...this.#members].flatMap(({ logLevel }) => logLevel ?? []));
    // A server that does not answer must not keep the client waiting.
    if (level) for (const upstream of this.upstreams) void upstream.setLogLevel(level);
  }

  /** Waits for the calls under way, but not for ever. */
  async drained(ms: number): Promise<void> {
    await atMost(Promise.all(this.upstreams.map(({ calls }) => calls.idle())), ms);
    // One more turn of the event loop hands the last answers over to their clients' streams.
    await new Promise((resolve) => setImmediate(resolve));
  }

  async close(): Promise<void> {
    this.#announcer.close();
    this.search.close();
    await Promise.all([...this.#members].map((member) => member.close()));
    await Promise.all([...this.#shared, ...this.#listing].map((upstream) => upstream.close()));
    await this.#driftWatch.close();
  }

  /** What a server listed last; undefined if it was never listed. */
  #catalogOf(server: ServerConfig): Catalog | undefined {
    const running = this.upstreams.find((upstream) => upstream.server === server && isListed(upstream));
    const catalog = running?.catalog ?? this.#options.memory.recall(this.config.scope, server)?.catalog;
    return catalog && isListed({ catalog }) ? catalog : undefined;
  }

  /** Lists the servers that start with a member once, if nobody has yet, so that agents' tools are known. */
  #listUnknown(): void {
    const unknown = this.config.servers.filter((server) => server.perSession && !this.#catalogOf(server));
    this.#listing = this.#start(unknown);
    for (const upstream of this.#listing) void upstream.settled().then(() => upstream.close());
  }

  #sharedDirectory(): Directory {
    return this.#directory('shared', this.#shared);
  }

  #directory(key: Member | 'shared', upstreams: readonly Upstream[]): Directory {
    const known = this.#directories.get(key);
    if (known) return known;
    noteWork('directory of tools');
    const directory = buildDirectory(upstreams, this.config.names.listed);
    this.#directories.set(key, directory);
    return directory;
  }

  #start(servers: Config['servers'], owner?: Member): Upstream[] {
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
          this.#listsChanged(kinds, owner);
          if (kinds.has('tools')) this.#decideUnlisted(upstream);
          void recordServer(this.#options, upstream);
          if (kinds.has('tools')) this.#driftWatch.report(upstream);
        },
        resourceUpdated: (uri, params) => {
          for (const member of owner ? [owner] : this.#members) member.resourceUpdated(upstream, uri, params);
        },
      });
      void upstream.settled().then(() => {
        void recordServer(this.#options, upstream);
        this.#driftWatch.report(upstream);
      });
      this.#decideUnlisted(upstream);
      return upstream;
    });
  }

  /** Decides whose tools are listed. Another decision concerns all members, whosever server changed. */
  #decideUnlisted(upstream: Upstream): void {
    if (this.#unlisted.update(upstream) && this.#members.size > 0) this.#announcer.add(['tools'], 'all');
  }

  #listsChanged(kinds: ReadonlySet<ListKind>, owner: Member | undefined): void {
    if (owner) this.#directories.delete(owner);
    else this.#directories.clear();
    const lists = new Set<ListName>([...kinds].map((kind) => (kind === 'templates' ? 'resources' : kind)));
    this.#announcer.add(lists, owner ? [owner] : 'all');
  }

  /** Finds the members whose list a change concerns: a private capability concerns its owner alone. */
  #membersSeeing(only: string | null | undefined): Member[] | 'all' {
    return only == null ? 'all' : [...this.#members].filter(({ who }) => who.user === only);
  }

  #announce(announcements: Announcements): void {
    for (const [list, audience] of announcements) {
      for (const member of audience === 'all' ? this.#members : audience) member.listChanged(list);
    }
  }

  #inConfigOrder(upstreams: Upstream[]): Upstream[] {
    const order = new Map(this.config.servers.map(({ name }, index) => [name, index]));
    return upstreams.sort((a, b) => (order.get(a.name) ?? 0) - (order.get(b.name) ?? 0));
  }
}

async function firstListsOf(upstreams: readonly Upstream[]): Promise<void> {
  const unknown = upstreams.filter((upstream) => !isListed(upstream));
  await atMost(Promise.all(unknown.map((upstream) => upstream.settled())), FIRST_LIST_MS);
}
