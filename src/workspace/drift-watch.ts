import { setImmediate as nextTurn } from 'node:timers/promises';
import { toClientTools } from '../access/index.ts';
import { messageOf } from '../errors.ts';
import { noteWork } from '../event-loop-watchdog.ts';
import { observeTools } from '../registry/index.ts';
import type { Upstream } from '../upstream/index.ts';
import type { WorkspaceOptions } from './workspace.ts';

const RETRY_MS = 10_000;

/**
 * Tells the registry what live servers offer, so that it can judge the capabilities that use them. One look at a server at
 * a time, always at its latest list. A server that is down, or listed from memory, is not looked at.
 */
export class DriftWatch {
  readonly #options: Pick<WorkspaceOptions, 'db' | 'config' | 'log'>;
  readonly #looking = new Map<Upstream, Promise<void>>();
  readonly #again = new Set<Upstream>();
  readonly #retries = new Map<Upstream, NodeJS.Timeout>();
  #closed = false;

  constructor(options: Pick<WorkspaceOptions, 'db' | 'config' | 'log'>) {
    this.#options = options;
  }

  look(upstream: Upstream): void {
    if (this.#closed || upstream.state !== 'ready') return;
    if (this.#looking.has(upstream)) {
      this.#again.add(upstream);
      return;
    }
    const look = this.#observe(upstream).finally(() => {
      this.#looking.delete(upstream);
      if (this.#again.delete(upstream)) this.look(upstream);
    });
    this.#looking.set(upstream, look);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#retries.values()) clearTimeout(timer);
    await Promise.all(this.#looking.values());
  }

  async #observe(upstream: Upstream): Promise<void> {
    const { db, config, log } = this.#options;
    this.#forgetRetry(upstream);
    // Reading a large list has taken this turn already.
    await nextTurn();
    const { name, catalog } = upstream;
    noteWork('drift of', name);
    try {
      // All that the server has: a tool that this workspace hides is there for others of the scope.
      const tools = toClientTools(catalog).map(({ name, inputSchema: schema }) => ({ name, schema }));
      const changed = await observeTools(db, config.scope, name, tools);
      if (changed > 0)
        log.info(`the tools of "${name}" changed: ${changed} capabilities became stale or fresh`);
    } catch (error) {
      if (this.#closed) return;
      log.warn(
        `capabilities could not be checked against the tools of "${name}", trying again: ${messageOf(error)}`,
      );
      const retry = () => {
        this.#forgetRetry(upstream);
        this.look(upstream);
      };
      this.#retries.set(upstream, setTimeout(retry, RETRY_MS).unref());
    }
  }

  #forgetRetry(upstream: Upstream): void {
    clearTimeout(this.#retries.get(upstream));
    this.#retries.delete(upstream);
  }
}
