import { inferOutput, loosenOutput, uniteOutputs } from '../code/index.ts';
import { messageOf } from '../errors.ts';
import type { JsonSchema } from '../json.ts';
import type { Log } from '../log.ts';
import type { Principal } from '../principal.ts';
import type { Callable } from '../registry/index.ts';
import {
  isStable,
  type KnownOutput,
  keyOf,
  knownOutput,
  type ObservedOutput,
  observeOutputs,
  sameSchema,
} from '../registry/usage/index.ts';
import type { Db } from '../store/index.ts';
import { ToolOutputObserver } from './tool-output-observer.ts';

const FLUSH_MS = 200;
const BATCH = 100;
/** A user who created no capability, so that the result may only loosen a schema. */
const NOBODY = { user: '' };
/** For how many versions this process remembers the schema of the results. */
const REMEMBERED = 5000;

/**
 * Learns what capabilities return, from their results, without making the call wait. Results that teach nothing new are only
 * counted in memory: the database is written when a schema changes or becomes stable.
 *
 * A capability's schema is seen by all who see the capability, so only its creator's results add names of properties. Others'
 * results may loosen it, so that it fits them too.
 */
export class OutputObserver {
  /** Learns what the tools of servers return. */
  readonly tools: ToolOutputObserver;
  readonly #db: Db;
  readonly #log: Log;
  readonly #known = new Map<string, KnownOutput>();
  /** Versions that had no stored schema when a result came from a user who is not the creator. */
  readonly #unknown = new Set<string>();
  readonly #waiting = new Map<string, ObservedOutput>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(db: Db, log: Log) {
    this.#db = db;
    this.#log = log;
    this.tools = new ToolOutputObserver(db, log);
  }

  /** Notes the result of a run. */
  note(capability: Callable, { user }: Pick<Principal, 'user'>, value: unknown): void {
    const { fqdn, version, code } = capability;
    const key = keyOf(capability);
    const before = this.#waiting.get(key);
    const known = this.#known.get(key);
    const base = before?.schema ?? known?.schema;
    const isCreators = capability.createdBy === user;
    if (!base && !isCreators) {
      this.#noteOnceKnown(capability, value);
      return;
    }
    const schema = seenSchema(base, value, isCreators);
    const isSame = base !== undefined && sameSchema(base, schema);
    const results = (before?.results ?? 0) + 1;
    const changedAt = isSame ? (before?.changedAt ?? 0) : results;
    this.#waiting.set(key, { fqdn, version, code, schema, results, changedAt });
    if (!known || changedAt > 0 || becomesStable(known, results))
      this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
    // Counts alone may be lost, but must not pile up.
    else if (this.#waiting.size > REMEMBERED)
      this.#waiting.delete(this.#waiting.keys().next().value as string);
  }

  /** Notes a result of a user who is not the creator, if a schema is stored that it could loosen. */
  #noteOnceKnown(capability: Callable, value: unknown): void {
    const key = keyOf(capability);
    if (this.#unknown.has(key)) return;
    this.#unknown.add(key);
    if (this.#unknown.size > REMEMBERED) this.#unknown.clear();
    this.declared(capability)
      .then(() => {
        if (this.#known.has(key)) this.note(capability, NOBODY, value);
      })
      .catch((error) => this.#log.debug(`what ${capability.fqdn} returns is not known: ${messageOf(error)}`));
  }

  /** The schema that clients were last told for the results of a version. */
  async declared(capability: Callable): Promise<JsonSchema | undefined> {
    const key = keyOf(capability);
    const known = this.#known.get(key) ?? (await knownOutput(this.#db, capability));
    if (known) this.#remember(key, known);
    return known?.declared ?? undefined;
  }

  /** Stores what was noted before this call. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing = this.#flushing.then(() => this.#store());
    return this.#flushing;
  }

  async #store(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, BATCH);
      for (const [key] of batch) this.#waiting.delete(key);
      try {
        const stored = await observeOutputs(
          this.#db,
          batch.map(([, one]) => one),
        );
        for (const [key, known] of stored) this.#remember(key, known);
      } catch (error) {
        // The next results teach the same.
        this.#log.debug(`what capabilities return is not stored: ${messageOf(error)}`);
      }
    }
  }

  #remember(key: string, known: KnownOutput): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    this.#unknown.delete(key);
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.keys().next().value as string);
  }
}

/** The schema with one more result. */
function seenSchema(before: JsonSchema | undefined, value: unknown, isCreators: boolean): JsonSchema {
  if (before && !isCreators) return loosenOutput(before, value);
  const schema = inferOutput(value);
  return before ? uniteOutputs(before, schema) : schema;
}

function becomesStable(known: KnownOutput, more: number): boolean {
  const after = { ...known, results: known.results + more };
  return !isStable(known) && isStable(after);
}
