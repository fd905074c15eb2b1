import { isDeepStrictEqual } from 'node:util';
import { chooseUnlisted, toolTokens } from '../access/index.ts';
import type { Config } from '../config/index.ts';
import type { Upstream } from '../upstream/index.ts';
import { isListed } from './server-summary.ts';

type ExposeConfig = Pick<Config, 'expose' | 'exposeBudget'> & {
  readonly servers: readonly { readonly name: string }[];
};

/** Decides which servers' tools are left to discovery. All sessions of a workspace share one decision. */
export class UnlistedServers {
  readonly #config: ExposeConfig;
  /** By the name of the server: all instances of a per-session server share one entry. */
  readonly #sizes = new Map<string, number>();
  #names: ReadonlySet<string>;

  constructor(config: ExposeConfig) {
    this.#config = config;
    this.#names = new Set(config.expose.upstream === 'none' ? config.servers.map(({ name }) => name) : []);
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Decides again after the tools of a server changed. Returns true if the decision changed. */
  update(upstream: Pick<Upstream, 'name' | 'server' | 'catalog'>): boolean {
    const { expose, exposeBudget } = this.#config;
    if (expose.upstream !== 'auto') return false;
    // A server that starts for a new session is listed already for the others.
    if (!isListed(upstream)) return false;
    this.#sizes.set(upstream.name, toolTokens(upstream, exposeBudget));
    const names = chooseUnlisted(this.#sizes, exposeBudget);
    const isSame = isDeepStrictEqual(names, this.#names);
    this.#names = names;
    return !isSame;
  }
}
