import {
  type AgentCapabilityRegistry,
  agentDirOf,
  buildRegistry,
  findAgent,
  type ResolvedAgent,
  resolveAgent,
  workspaceDirOf,
} from '../access/agents/index.ts';
import type { Directory } from '../access/index.ts';
import type { Config } from '../config/index.ts';
import type { Embeddings } from '../discovery/index.ts';
import type { PmlError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Principal } from '../principal.ts';
import type { Reaper } from '../reaper/index.ts';
import { affectsToolList, type RegistryChange } from '../registry/index.ts';
import { changesListing, type EvidenceChange } from '../registry/usage/index.ts';
import { Redactor } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';
import { type Catalog, type ServerDefinition, Upstream, type UpstreamMemory } from '../upstream/index.ts';
import { withTimeout } from '../with-timeout.ts';
import type { AgentScope } from './agent-scope.ts';
import { AgentScopes } from './agent-scopes.ts';
import { Directories } from './directories.ts';
import { DriftWatch } from './drift-watch.ts';
import { EXPLAINED_LIST_MS, firstListsOf } from './first-lists.ts';
import { ListAnnouncements } from './list-announcements.ts';
import { leastSevere } from './log-levels.ts';
import { type Member, reachesServer } from './member.ts';
import { missingServerError } from './missing-server.ts';
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
  readonly #agents: AgentScopes;
  readonly #directories: Directories;
  readonly #announcements: ListAnnouncements;
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
    this.#directories = new Directories({
      style: config.names.listed,
      shared: () => this.#shared,
      reachable: (member) => this.#reachable(member),
      hasOwn: (member) => this.#private.has(member),
    });
    const has = (member: Member, upstream: Upstream) =>
      this.#shared.includes(upstream) || this.#ownOf(member).includes(upstream);
    this.#announcements = new ListAnnouncements({ db, log, members: this.#members, has });
    this.#driftWatch = new DriftWatch({ db, scope: config.scope, log });
    this.#unlisted = new UnlistedServers(config);
    this.#shared = this.#start(config.servers.filter((server) => !server.perSession));
    this.#agents = new AgentScopes({
      config,
      shared: this.#shared,
      resolve: (name, user) => this.#resolveAgent(name, user),
      start: (servers) => this.#start(servers, 'agent'),
    });
    this.#firstLists = firstListsOf(this.#shared);
    this.agentCapabilities = buildRegistry(config, { catalogOf: (server) => this.#catalogOf(server) });
    if (Object.keys(config.agents).length > 0) this.#listUnknown();
    const sharedTools = () => this.sharedDirectory.tools;
    const vectors = embeddings.vectorsFor(config.discovery.embeddings, this.redactor);
    this.search = new WorkspaceSearch({ config, db, log, sharedTools, vectors });
  }

  get members(): ReadonlySet<Member> {
    return this.#members;
  }

  get upstreams(): readonly Upstream[] {
    return [
      ...this.#shared,
      ...this.#agents.all.flatMap(({ own }) => own),
      ...[...this.#private.values()].flat(),
    ];
  }

  /** Waits until the servers that all members or an agent's sessions share are listed, or timed out. */
  async listsReady({ agent }: Pick<Member, 'agent'> = {}): Promise<void> {
    await Promise.all([this.#firstLists, agent?.firstLists]);
  }

  /** Waits until the tools of all servers that agents can be given are known, or timed out. */
  async toolsKnown(): Promise<void> {
    await firstListsOf([...this.#shared, ...this.#listing], EXPLAINED_LIST_MS);
  }

  /** Waits for the servers that a member can reach, if they are starting and were never listed. */
  async serversListed(
    member: Member,
    isWanted: (server: string) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const unlisted = this.#unlistedOf(member).filter(({ name }) => isWanted(name));
    // A server that fails to start has no tools; the caller finds that out.
    await Promise.all(unlisted.map((server) => server.ready(signal).catch(() => {})));
  }

  /** Names the servers that a member can reach and whose tools are not known yet: they start for the first time. */
  startingServers(member: Member): string[] {
    const fresh = this.#unlistedOf(member).filter(({ problem }) => problem === undefined);
    return fresh.map(({ name }) => name);
  }

  /** Returns why a member cannot find a tool, if that is because its server is disabled, down or still starting. */
  whyMissing(member: Member, tool: string): PmlError | undefined {
    const disabled = (member.agent ?? this).config.disabledServers;
    return missingServerError(tool, { upstreams: this.#reachable(member), disabled });
  }

  /** Returns an agent of a user. Its servers outlive its last member by a while. Throws if its config is wrong. */
  agent(name: string, user: Principal): AgentScope {
    return this.#agents.open(name, user);
  }

  /** Admits a member, and starts the servers that each member has to itself. */
  join(member: Member): void {
    this.#members.add(member);
    if (member.agent) this.#agents.enter(member.agent);
    const own = this.config.servers.filter(
      ({ perSession, name }) => perSession && reachesServer(member, name),
    );
    if (own.length > 0) this.#private.set(member, this.#start(own, member));
  }

  async leave(member: Member): Promise<void> {
    this.#members.delete(member);
    this.#directories.forget(member);
    const own = this.#private.get(member) ?? [];
    this.#private.delete(member);
    if (member.agent) this.#agents.leave(member.agent);
    await Promise.all(own.map((upstream) => upstream.close()));
  }

  /** The directory of the servers that all members share. */
  get sharedDirectory(): Directory {
    return this.#directories.shared;
  }

  /** Returns all that a member reaches: code and capabilities may use it, whichever part of it the member offers. */
  directoryOf(member: Member): Directory {
    return this.#directories.of(member);
  }

  /** Returns the servers that a member reaches, in the order of the config. */
  upstreamsOf(member: Member): readonly Upstream[] {
    return this.#reachable(member);
  }

  /** Returns the directory of one server for a member, under the server's own names. */
  partOf(member: Member, server: string): Directory {
    return this.#directories.ofServer(member, server);
  }

  /** Announces that capabilities were named, renamed or retired, to those who can see them. */
  registryChanged(change: RegistryChange | 'unknown'): void {
    this.search.registryChanged(change);
    const { org, project } = this.config.scope;
    const isHere = (one: RegistryChange) => one.org === org && one.project === project;
    if (change === 'unknown') void this.#announcements.capabilitiesChanged({});
    else if (isHere(change) && affectsToolList(change)) void this.#announcements.capabilitiesChanged(change);
  }

  /** Announces the list of tools if calls brought a capability into it, or out of it. */
  evidenceChanged(change: EvidenceChange): void {
    const { scope, lifecycle } = this.config;
    if (change.org !== scope.org || change.project !== scope.project) return;
    if (changesListing(change, lifecycle)) void this.#announcements.capabilitiesChanged(change);
  }

  /** The servers whose tools are not listed to members that are no agents. */
  get unlistedServers(): ReadonlySet<string> {
    return this.#unlisted.names;
  }

  /** Summarizes the servers in the order of the config. Without a member, per-session servers are known from memory. */
  serversOf(agent: AgentScope | undefined, member?: Member): ServerSummary[] {
    const own = member ? this.#ownOf(member) : (agent?.own ?? []);
    const running = new Map([...this.#shared, ...own].map((upstream) => [upstream.name, upstream]));
    const { unlistedServers, config } = agent ?? this;
    return config.servers.map((server) => {
      const { name } = server;
      const isOffered = !unlistedServers.has(name);
      const upstream = running.get(name);
      if (upstream) return summarizeServer(upstream, isOffered, agent?.rights);
      const catalog = this.#catalogOf(server);
      const stopped = { name, server, state: 'starting', problem: undefined, catalog } as const;
      return summarizeServer(stopped, isOffered, agent?.rights);
    });
  }

  /** Sets every server to the lowest log level that a member who reaches it wants. Each member filters for itself. */
  forwardLogLevel(): void {
    for (const upstream of this.upstreams) {
      const members = [...this.#members].filter((member) => reachesServer(member, upstream.name));
      const level = leastSevere(members.flatMap(({ logLevel }) => logLevel ?? []));
      // A server that does not answer must not keep the client waiting.
      if (level) void upstream.setLogLevel(level);
    }
  }

  /** Waits for the calls under way, for `ms` at most. */
  async drained(ms: number): Promise<void> {
    await withTimeout(Promise.all(this.upstreams.map(({ calls }) => calls.idle())), ms);
    // One more turn of the event loop hands the last answers over to their clients' streams.
    await new Promise((resolve) => setImmediate(resolve));
  }

  async close(): Promise<void> {
    this.#announcements.close();
    this.search.close();
    await Promise.all([...this.#members].map((member) => member.close()));
    await Promise.all([...this.#shared, ...this.#listing].map((upstream) => upstream.close()));
    await this.#agents.close();
    await this.#driftWatch.close();
  }

  #resolveAgent(name: string, who: Principal): ResolvedAgent {
    const { home, file, servers } = this.config;
    const envFiles = servers.flatMap(({ transport }) => ('envFile' in transport ? transport.envFile : []));
    return resolveAgent(this.agentCapabilities, findAgent(this.config, name), {
      who,
      agentDir: agentDirOf(home, name, who),
      workspaceDir: workspaceDirOf(this.config),
      protectedPaths: [home, file, ...envFiles].filter((one) => typeof one === 'string'),
      db: this.#options.db,
      redactor: this.redactor,
    });
  }

  /** The last lists of a server; undefined if it was never listed. */
  #catalogOf(server: ServerDefinition): Catalog | undefined {
    const running = this.upstreams.find((upstream) => upstream.server === server && isListed(upstream));
    const catalog = running?.catalog ?? this.#options.memory.recall(this.config.scope, server)?.catalog;
    return catalog && isListed({ catalog }) ? catalog : undefined;
  }

  /** Starts the per-session servers that were never listed, only to list them, so that agents' tools are known. */
  #listUnknown(): void {
    const unknown = this.config.servers.filter((server) => server.perSession && !this.#catalogOf(server));
    this.#listing = this.#start(unknown);
    for (const upstream of this.#listing) void upstream.settled().then(() => upstream.close());
  }

  /** The servers that a member has to itself or with the other sessions of its agent. */
  #ownOf(member: Member | undefined): Upstream[] {
    return [...(member?.agent?.own ?? []), ...((member && this.#private.get(member)) ?? [])];
  }

  #unlistedOf(member: Member): Upstream[] {
    return this.#reachable(member).filter((one) => one.state === 'starting' && !isListed(one));
  }

  /** The servers that a member reaches, in the order of the config. */
  #reachable(member: Member): readonly Upstream[] {
    const { agent } = member;
    const own = this.#ownOf(member);
    if (own.length === 0 && !agent) return this.#shared;
    const all = this.#inConfigOrder([...this.#shared, ...own]);
    return agent ? all.filter(({ name }) => agent.hasServer(name)) : all;
  }

  #start(servers: readonly ServerDefinition[], owner?: Owner): Upstream[] {
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
          this.#directories.forget(owner === 'agent' ? undefined : owner);
          this.#announcements.serverChanged(upstream, kinds);
          if (kinds.has('tools')) this.#decideUnlisted(upstream, owner);
          void this.#record(upstream, owner);
          if (kinds.has('tools')) this.#driftWatch.report(upstream);
        },
        resourceUpdated: (uri, params) => {
          for (const member of this.#announcements.membersOf(upstream))
            member.resourceUpdated(upstream, uri, params);
        },
      });
      void upstream.settled().then(() => {
        void this.#record(upstream, owner);
        this.#driftWatch.report(upstream);
      });
      this.#decideUnlisted(upstream, owner);
      return upstream;
    });
  }

  /** An agent's own server has no record: the same name stands for other data with each agent. */
  async #record(upstream: Upstream, owner: Owner | undefined): Promise<void> {
    if (owner !== 'agent') await recordServer(this.#options, upstream);
  }

  /** Decides again which servers' tools are listed, and announces a changed decision to all members that share it. */
  #decideUnlisted(upstream: Upstream, owner: Owner | undefined): void {
    if (owner !== 'agent' && this.#unlisted.update(upstream)) this.#announcements.exposureChanged(undefined);
    for (const agent of this.#agents?.all ?? []) {
      const isOthers = owner === 'agent' && !agent.own.includes(upstream);
      if (!isOthers && agent.sizeChanged(upstream)) this.#announcements.exposureChanged(agent);
    }
  }

  #inConfigOrder(upstreams: Upstream[]): Upstream[] {
    const order = new Map(this.config.servers.map(({ name }, index) => [name, index]));
    // An agent's own servers come last.
    const place = ({ name }: Upstream) => order.get(name) ?? order.size;
    return upstreams.sort((a, b) => place(a) - place(b));
  }
}

/** The owner of a server that not all members share: one member, or an agent. */
type Owner = Member | 'agent';
