import { messageOf } from '../../errors.ts';
import type { RegistryChange } from '../../registry/index.ts';
import { claimCuration, releaseCuration } from './claims.ts';
import { curateAutomatically, suggest } from './curate.ts';
import type { Curator } from './curator.ts';
import { hasWithoutSuggestion } from './suggestions.ts';

/** New capabilities within this time are handled together. */
const WAIT_MS = 1000;
/** It reads all capabilities of a user, so it rests this many times longer than it took, within bounds: a model takes long. */
const REST = 20;
const MAX_REST_MS = 30_000;

/** Returns the curators of one user, or of all connected users; empty if none is connected. */
export type CuratorsFor = (user: string | undefined) => readonly Omit<Curator, 'signal' | 'onProgress'>[];

/**
 * Makes suggestions once a user has as many unnamed capabilities without one as `curation.threshold` says. They are
 * stored and, with `curation.auto`, applied. Only one of the processes on a database does so at a time.
 */
export class BackgroundCuration {
  readonly #curatorsFor: CuratorsFor;
  readonly #stopping = new AbortController();
  readonly #waiting = new Set<string | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #restsUntil = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(curatorsFor: CuratorsFor) {
    this.#curatorsFor = curatorsFor;
  }

  /** Called on each registry change. Only new capabilities can trigger a curation. */
  registryChanged(change: RegistryChange | 'unknown'): void {
    if (change === 'unknown' || change.what !== 'created' || this.#stopping.signal.aborted) return;
    this.#waiting.add(change.only);
    const wait = Math.max(WAIT_MS, this.#restsUntil - performance.now());
    this.#timer ??= setTimeout(() => this.#start(), wait).unref();
  }

  /** Ends a running curation. Suggestions that it has not stored are made again another time. */
  async close(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#work;
  }

  #start(): void {
    this.#timer = undefined;
    const users = [...this.#waiting];
    this.#waiting.clear();
    this.#work = this.#work.then(async () => {
      const began = performance.now();
      for (const user of users)
        for (const curator of this.#curatorsFor(user))
          await this.#curate({ ...curator, signal: this.#stopping.signal });
      const ended = performance.now();
      this.#restsUntil = ended + Math.min(MAX_REST_MS, REST * (ended - began));
    });
  }

  async #curate(curator: Curator): Promise<void> {
    const { db, who, log, config } = curator;
    const { threshold, auto } = config.curation;
    try {
      if (this.#stopping.signal.aborted || !(await hasWithoutSuggestion(db, who, threshold))) return;
      if (!(await claimCuration(db, who))) return;
      try {
        // Another process may have done it between the count and the claim.
        if (!(await hasWithoutSuggestion(db, who, threshold))) return;
        const { applied } = await (auto ? curateAutomatically : suggest)(curator, {}, { isShown: false });
        log.info(`suggested names for capabilities of ${who.user}; ${applied.length} were applied`);
      } finally {
        await releaseCuration(db, who);
      }
    } catch (error) {
      if (!this.#stopping.signal.aborted) log.warn(`cannot suggest names: ${messageOf(error)}`);
    }
  }
}
