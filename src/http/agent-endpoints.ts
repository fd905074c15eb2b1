import { type Gateway, identify, StreamableEndpoint } from '../gateway/index.ts';
import type { Principal } from '../principal.ts';

/** The endpoints of the agents of one config, each opened when its first client comes. */
export class AgentEndpoints {
  readonly #gateway: Gateway;
  readonly #who: Principal;
  readonly #open = new Map<string, StreamableEndpoint>();

  constructor(gateway: Gateway, who: Principal) {
    this.#gateway = gateway;
    this.#who = who;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#gateway.workspace.config.agents, name);
  }

  /** Returns the endpoint of an agent if a client has come to it before. */
  opened(name: string): StreamableEndpoint | undefined {
    return this.#open.get(name);
  }

  /** Returns the endpoint of an agent. Throws if the agent's capabilities cannot be resolved. */
  of(name: string): StreamableEndpoint {
    const known = this.#open.get(name);
    if (known) return known;
    const identity = identify(this.#gateway, this.#who, { agent: name });
    const endpoint = new StreamableEndpoint(this.#gateway, identity);
    this.#open.set(name, endpoint);
    return endpoint;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((endpoint) => endpoint.close()));
  }
}
