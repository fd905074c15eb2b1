import type { ResolvedAgent } from '../access/agents/index.ts';
import { agentPrincipal } from '../access/index.ts';
import type { Config } from '../config/index.ts';
import { type Principal, principalKey, userOf } from '../principal.ts';
import type { ServerDefinition, Upstream } from '../upstream/index.ts';
import { AgentScope } from './agent-scope.ts';

export interface AgentScopesOptions {
  config: Config;
  shared: readonly Upstream[];
  /** Resolves an agent of the config for a user. Throws if its capabilities cannot be resolved. */
  resolve: (name: string, user: Principal) => ResolvedAgent;
  /** Starts the servers that an agent has for itself. */
  start: (servers: readonly ServerDefinition[]) => Upstream[];
}

/** How long an agent's servers outlive its last session: an agent engine may open several sessions for one message. */
const UNUSED_MS = 60_000;

interface OpenScope {
  scope: AgentScope;
  members: number;
  closeTimer: NodeJS.Timeout | undefined;
}

/** The agents in use in a workspace. The sessions of one agent and user share its servers. */
export class AgentScopes {
  readonly #options: AgentScopesOptions;
  readonly #open = new Map<string, OpenScope>();

  constructor(options: AgentScopesOptions) {
    this.#options = options;
  }

  get all(): AgentScope[] {
    return [...this.#open.values()].map(({ scope }) => scope);
  }

  /** Returns the agent. A member must join it soon: the servers of an agent without members are stopped. */
  open(name: string, caller: Principal): AgentScope {
    const user = userOf(caller);
    const key = keyOf(name, user);
    const known = this.#open.get(key);
    if (known) return known.scope;
    const { config, shared, start, resolve } = this.#options;
    const { rights, backings } = resolve(name, user);
    const own = start([...backings.values()].map((server) => ({ ...server, ofAgent: true })));
    const who = agentPrincipal(user, rights, backings.keys());
    const scope = new AgentScope({ who, rights, own, config });
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
