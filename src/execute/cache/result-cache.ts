import { messageOf, PmlError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { CachePolicy } from '../../registry/caching/index.ts';
import type { Keys } from '../../registry/index.ts';
import type { Db } from '../../store/index.ts';
import { type CachedResult, type CacheEntry, MAX_CACHED_BYTES } from './cached-result.ts';
import { type Dependency, DependencyLog } from './dependency-log.ts';
import { MemoryResults } from './memory-results.ts';
import { type FlightOutcome, SingleFlight, type Waiter } from './single-flight.ts';
import { StoredResults } from './stored-results.ts';

/** One call of a capability whose results are cached. */
export interface CacheableCall extends CacheEntry, Waiter {
  readonly policy: Exclude<CachePolicy, 'none'>;
  /** Results are cached although tools are called that may change something. */
  readonly isForced: boolean;
  /** The dependencies of the run around this call. */
  readonly outer: DependencyLog | undefined;
  /** Runs the capability; `log` is to get what it depends on. */
  run(log: DependencyLog): Promise<{ value: unknown; bytes: number }>;
  /** Tells whether this caller may call all dependencies, and none of them has changed. */
  holds(dependencies: readonly Dependency[]): Promise<boolean>;
  /** Tells whether the arguments or the result hold a secret, which must not be cached. */
  holdsSecret(value: unknown): boolean | Promise<boolean>;
}

export interface Answer {
  readonly value: unknown;
  readonly bytes: number;
  /** The value as JSON, where that is at hand. */
  readonly text?: string;
  readonly isCached: boolean;
}

/** These end a run because of its caller, not because of its code. */
const CALLERS_CODES: readonly string[] = ['cancelled', 'code_timeout', 'code_limit', 'code_memory'];

export interface ResultCacheOptions {
  db: Db;
  keys: Keys;
  log: Log;
}

/** Answers calls from kept results, and runs equal calls that come at once only once. */
export class ResultCache {
  readonly #memory = new MemoryResults();
  readonly #store: StoredResults;
  readonly #flights = new SingleFlight();
  readonly #log: Log;

  constructor({ db, keys, log }: ResultCacheOptions) {
    this.#store = new StoredResults(db, keys);
    this.#log = log;
  }

  async answer(call: CacheableCall): Promise<Answer> {
    for (;;) {
      const kept = this.#flights.find(call.key, call) ? undefined : await this.#find(call);
      if (kept) return cached(call, kept);
      // Looked for again, since another call may have started while this one looked for a result.
      const flight = this.#flights.find(call.key, call);
      if (!flight) return this.#lead(call);
      const outcome = await this.#flights.wait(flight, call);
      if (outcome.kind === 'failed') throw outcome.error;
      if (outcome.kind === 'shared' && (await call.holds(outcome.result.dependencies)))
        return cached(call, outcome.result);
      if (outcome.kind !== 'abandoned') return { ...(await call.run(logOf(call))), isCached: false };
    }
  }

  /** Runs the capability for this call and all that wait for it. */
  async #lead(call: CacheableCall): Promise<Answer> {
    const end = this.#flights.start(call.key, call.depth);
    const log = logOf(call);
    let outcome: FlightOutcome = { kind: 'abandoned' };
    try {
      const { value, bytes } = await call.run(log);
      outcome = outcomeOf(call, log, { value, bytes });
      if (outcome.kind === 'shared') await this.#keep(call, outcome.result);
      return { value, bytes, isCached: false };
    } catch (error) {
      outcome = failedOutcome(error, log);
      throw error;
    } finally {
      end(outcome);
    }
  }

  /** A result that is kept and still holds. Undefined also if the store does not answer: the call then runs. */
  async #find(call: CacheableCall): Promise<CachedResult | undefined> {
    try {
      const found = call.policy === 'memoize' ? this.#memory.find(call) : await this.#store.find(call);
      return found && (await call.holds(found.dependencies)) ? found : undefined;
    } catch (error) {
      this.#log.debug(`a cached result is not used: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Never throws: a run must not fail because its result is not kept. */
  async #keep(call: CacheableCall, result: CachedResult): Promise<void> {
    try {
      if (result.bytes > MAX_CACHED_BYTES || (await call.holdsSecret(result.value))) return;
      if (call.policy === 'memoize') this.#memory.keep(call, result);
      else await this.#store.keep(call, result);
    } catch (error) {
      this.#log.debug(`a result is not cached: ${messageOf(error)}`);
    }
  }
}

function logOf({ outer }: CacheableCall): DependencyLog {
  return new DependencyLog(outer);
}

/** The run around this call depends on what the kept result depends on. */
function cached({ outer }: CacheableCall, { value, bytes, dependencies }: CachedResult): Answer {
  for (const dependency of dependencies) outer?.note(dependency);
  return { value, bytes, isCached: true };
}

function outcomeOf(
  { isForced }: CacheableCall,
  { complete }: DependencyLog,
  made: { value: unknown; bytes: number },
): FlightOutcome {
  if (!complete) return { kind: 'unshared' };
  if (!isForced && complete.some(({ isReadOnly }) => !isReadOnly)) return { kind: 'unshared' };
  return { kind: 'shared', result: { ...made, dependencies: complete } };
}

function failedOutcome(error: unknown, { complete }: DependencyLog): FlightOutcome {
  if (!(error instanceof PmlError) || CALLERS_CODES.includes(error.code)) return { kind: 'abandoned' };
  return complete ? { kind: 'failed', error } : { kind: 'unshared' };
}
