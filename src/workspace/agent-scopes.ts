import { agentPrincipal, type AgentRights } from '../access/index.ts';
import type { Config, ServerConfig } from '../config/index.ts';
import { PmlError } from '../errors.ts';
import { type Principal, principalKey, userOf } from '../principal.ts';
import type { Upstream } from '../upstream/index.ts';
import { AgentScope } from './agent-scope.ts';

/** What an agent's capabilities object comes to. */
export interface ResolvedAgent {
  rights: AgentRights;
  /** The servers that the agent has for itself. */
  servers: readonly ServerConfig[];
}

export interface AgentScopesOptions {
  config: Config;
  shared: readonly Upstream[];
  /** Resolves an agent of the config for a user. Throws if its capabilities cannot be had. */
  resolve: (name: string, user: Principal) => ResolvedAgent;
  /** Starts the servers that an agent has for itself. */
  start: (servers: readonly ServerConfig[]) => Upstream[];
}

/** An engine opens and closes several sessions for one message, so an agent's servers outlive them for a while. */
const UNUSED_MS = 60_000;

interface OpenScope {
  scope: AgentScope;
  members: number;
  closeTimer: NodeJS.Timeout | undefined;
}

/** The agents at work in a workspace. The sessions of one agent and user share its servers. */
export class AgentScopes {
  readonly #options: AgentScopesOptions;
  readonly #open = new Map<string, OpenScope>();

  constructor(options: AgentScopesOptions) {
    this.#options = options;
  }

  get all(): AgentScope[] {
    return [...this.#open.values()].map(({ scope }) => scope);
  }

  /** Returns the agent, for a member that joins at once. */
  open(name: string, caller: Principal): AgentScope {
    const user = userOf(caller);
    const key = keyOf(name, user);
    const known = this.#open.get(key);
    if (known) return known.scope;
    const { config, shared, start, resolve } = this.#options;
    if (!Object.hasOwn(config.agents, name)) throw unknownAgent(config, name);
    const { rights, servers } = resolve(name, user);
    const scope = new AgentScope({ who: agentPrincipal(user, rights), rights, own: start(servers), config });
    for (const upstream of [...shared, ...scope.own]) {
      scope.sizeChanged(upstream);
      scope.concernedLists(upstream, new Set(['tools']));
    }
    this.#open.set(key, { scope, members: 0, closeTimer: this.#startTimer(key) });
    return scope;
  }

  enter({ who }: AgentScope): void {
    const open = this.#open.get(keyOf(who.agent, who));
    if (!open) return;
    clearTimeout(open.closeTimer);
    open.members += 1;
  }

  leave({ who }: AgentScope): void {
    const key = keyOf(who.agent, who);
    const open = this.#open.get(key);
    if (!open) return;
    open.members -= 1;
    if (open.members === 0) open.closeTimer = this.#startTimer(key);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((key) => this.#close(key)));
  }

  #startTimer(key: string): NodeJS.Timeout {
    return setTimeout(() => void this.#close(key), UNUSED_MS).unref();
  }

  async #close(key: string): Promise<void> {
    const open = this.#open.get(key);
    this.#open.delete(key);
    clearTimeout(open?.closeTimer);
    await Promise.all(open?.scope.own.map((upstream) => upstream.close()) ?? []);
  }
}

function keyOf(agent: string | undefined, who: Principal): string {
  return `${agent}\0${principalKey(userOf(who))}`;
}

const MAX_NAMES = 30;

function unknownAgent({ agents }: Config, name: string): PmlError {
  const names = Object.keys(agents);
  const listed = names.slice(0, MAX_NAMES).join(', ');
  return new PmlError('bad_request', `There is no agent "${name.slice(0, 100)}" in the config.`, {
    hint: names.length > 0 ? `Agents: ${listed}.` : 'The config declares no agents.',
  });
}
