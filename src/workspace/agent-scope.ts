import { createHash } from 'node:crypto';
import { type AgentRights, mayUseAll, mayUseTool } from '../access/index.ts';
import type { Config } from '../config/index.ts';
import type { Principal } from '../principal.ts';
import type { ListKind, ServerDefinition, Upstream } from '../upstream/index.ts';
import { firstListsOf } from './first-lists.ts';
import { UnlistedServers } from './unlisted-servers.ts';

/** The part of a config that an agent may see, with the servers that PML adds for the agent. */
export interface ScopedConfig extends Omit<Config, 'servers'> {
  readonly servers: readonly ServerDefinition[];
}

export interface AgentScopeOptions {
  /** The agent, in the name of its user. */
  who: Principal;
  rights: AgentRights;
  /** The servers that only this agent has. */
  own: readonly Upstream[];
  config: Config;
}

/** One agent of one user in a workspace: its rights, and its own servers. All its sessions share it. */
export class AgentScope {
  readonly who: Principal;
  readonly rights: AgentRights;
  readonly own: readonly Upstream[];
  /** The config as if it had only the servers that the agent may use, its own ones last. */
  readonly config: ScopedConfig;
  /** Settles once its own servers have listed their tools, or timed out. */
  readonly firstLists: Promise<void>;
  readonly #unlisted: UnlistedServers;
  /** Digests of the tools that the agent may use of partly granted servers, as last announced. */
  readonly #told = new Map<string, string>();

  constructor({ who, rights, own, config }: AgentScopeOptions) {
    this.who = who;
    this.rights = rights;
    this.own = own;
    this.firstLists = firstListsOf(own);
    const shared = config.servers.filter(({ name }) => rights.servers.has(name));
    this.config = {
      ...config,
      disabledServers: [],
      servers: [...shared, ...own.map(({ server }) => server)],
    };
    this.#unlisted = new UnlistedServers(this.config);
  }

  get unlistedServers(): ReadonlySet<string> {
    return this.#unlisted.names;
  }

  /** True if the agent may use anything of a server. */
  hasServer(name: string): boolean {
    return this.rights.servers.has(name);
  }

  /** Decides again which servers' tools are listed, by the tools the agent may use. True if the decision changed. */
  sizeChanged({ name, server, catalog }: Upstream): boolean {
    if (!this.hasServer(name)) return false;
    const usable = catalog.tools.filter((tool) => mayUseTool(this.rights, name, tool.name));
    const tools = mayUseAll(this.rights, name) ? server.tools : usable.map((tool) => tool.name);
    return this.#unlisted.update({ name, catalog, server: { ...server, ...(tools && { tools }) } });
  }

  /** Returns those of a server's changed lists that have changed for this agent. */
  concernedLists({ name, catalog }: Upstream, kinds: ReadonlySet<ListKind>): ListKind[] {
    if (!this.hasServer(name)) return [];
    if (mayUseAll(this.rights, name)) return [...kinds];
    if (!kinds.has('tools')) return [];
    const usable = catalog.tools.filter((tool) => mayUseTool(this.rights, name, tool.name));
    const text = JSON.stringify(usable.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
    const digest = createHash('sha256').update(text).digest('base64');
    const isSame = this.#told.get(name) === digest;
    this.#told.set(name, digest);
    return isSame ? [] : ['tools'];
  }
}
