import { toClientTools } from '../access/index.ts';
import { messageOf } from '../errors.ts';
import { nextEventLoopTurn } from '../event-loop-turn.ts';
import { noteWork } from '../event-loop-watchdog.ts';
import type { Log } from '../log.ts';
import type { Principal } from '../principal.ts';
import { observeTools } from '../registry/servers/index.ts';
import type { Db } from '../store/index.ts';
import type { Upstream } from '../upstream/index.ts';

const RETRY_MS = 10_000;

export interface DriftWatchOptions {
  db: Db;
  scope: Pick<Principal, 'org' | 'project'>;
  log: Log;
}

/**
 * Reports the tools of live servers to the registry, which decides by them which capabilities are stale. A server has
 * one report under way at a time, and the last one is always of its latest list. A server that is down, or listed from
 * memory, is not reported.
 */
export class DriftWatch {
  readonly #options: DriftWatchOptions;
  readonly #reporting = new Map<Upstream, Promise<void>>();
  readonly #outdated = new Set<Upstream>();
  readonly #retries = new Map<Upstream, NodeJS.Timeout>();
  #closed = false;

  constructor(options: DriftWatchOptions) {
    this.#options = options;
  }

  report(upstream: Upstream): void {
    if (this.#closed || upstream.state !== 'ready') return;
    if (this.#reporting.has(upstream)) {
      this.#outdated.add(upstream);
      return;
    }
    const report = this.#send(upstream).finally(() => {
      this.#reporting.delete(upstream);
      if (this.#outdated.delete(upstream)) this.report(upstream);
    });
    this.#reporting.set(upstream, report);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#retries.values()) clearTimeout(timer);
    await Promise.all(this.#reporting.values());
  }

  async #send(upstream: Upstream): Promise<void> {
    const { db, scope, log } = this.#options;
    this.#cancelRetry(upstream);
    // Reading a large list has already used up this turn of the event loop.
    await nextEventLoopTurn();
    const { name, catalog } = upstream;
    noteWork('drift of', name);
    try {
      // All tools of the server: one that this workspace hides may be shown to others of the scope.
      const tools = toClientTools(catalog).map(({ name, inputSchema: schema }) => ({ name, schema }));
      const changed = await observeTools(db, scope, name, tools);
      if (changed > 0)
        log.info(`the tools of "${name}" changed: ${changed} capabilities became stale or fresh`);
    } catch (error) {
      if (this.#closed) return;
      log.warn(
        `capabilities could not be checked against the tools of "${name}", trying again: ${messageOf(error)}`,
      );
      const retry = () => {
        this.#cancelRetry(upstream);
        this.report(upstream);
      };
      this.#retries.set(upstream, setTimeout(retry, RETRY_MS).unref());
    }
  }

  #cancelRetry(upstream: Upstream): void {
    clearTimeout(this.#retries.get(upstream));
    this.#retries.delete(upstream);
  }
}
