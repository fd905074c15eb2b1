import { hash } from 'node:crypto';
import type { JsonSchema } from '../../json.ts';
import type { CODE_TASKS } from './task-table.ts';

type CodeTasks = typeof CODE_TASKS;
type LearnOptions = Parameters<CodeTasks['learn']>[1];

/** Results are dropped, the oldest first, beyond this many characters of source and result. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
const MAX_RESULTS = 2000;
/** Longer code is seldom sent twice, and copying its results would block other sessions. */
const MAX_SOURCE = 32 * 1024;

/** Tasks whose results depend on little more than the source. */
const RESULTS_KEPT = new Set<keyof CodeTasks>(['accept', 'prepareRun', 'functionBody', 'writtenValues']);

interface Remembered {
  readonly value: unknown;
  readonly characters: number;
}

/**
 * Caches the results of tasks by all their inputs: agents send the same code again, and a capability runs many times.
 * Tasks are pure, so a cached result equals a new one. Results are frozen, so that this stays true.
 */
export class TaskMemo {
  readonly #results = new Map<string, Remembered>();
  #characters = 0;

  get size(): number {
    return this.#results.size;
  }

  /** Returns the cached result of a task, or runs the task and caches its result. */
  async answer<T>(
    task: keyof CodeTasks,
    source: string,
    rest: readonly unknown[],
    act: () => Promise<T>,
  ): Promise<T> {
    const given = source.length > MAX_SOURCE ? undefined : givenText(task, rest);
    if (given === undefined) return act();
    // Lengths keep the parts apart, whatever they hold.
    const key = hash('sha256', `${task} ${source.length} ${source}${given}`, 'base64');
    const known = this.#results.get(key);
    return known ? (known.value as T) : this.#remember(key, source, await act());
  }

  #remember<T>(key: string, source: string, result: T): T {
    // A copy: parts of the result may be the caller's own.
    const value = frozenCopy(result);
    const characters = source.length + (JSON.stringify(value)?.length ?? 0);
    this.#drop(key);
    this.#results.set(key, { value, characters });
    this.#characters += characters;
    for (const oldest of this.#results.keys()) {
      if (this.#characters <= MAX_CHARACTERS && this.#results.size <= MAX_RESULTS) break;
      this.#drop(oldest);
    }
    return value;
  }

  #drop(key: string): void {
    this.#characters -= this.#results.get(key)?.characters ?? 0;
    this.#results.delete(key);
  }
}

/** The inputs of a task besides the source, as text; undefined if its result must not be cached. */
function givenText(task: keyof CodeTasks, rest: readonly unknown[]): string | undefined {
  if (RESULTS_KEPT.has(task)) return JSON.stringify(rest);
  return task === 'learn' ? givenToLearn(rest[0] as LearnOptions) : undefined;
}

function givenToLearn(options: LearnOptions): string | undefined {
  const { schemas, readOnly, renamed, canonical, given, secrets, verdicts, isPlain, links } = options;
  const { run, ...known } = secrets;
  // The secrets of a run must not outlive it.
  if (run.isFull || run.secrets.length > 0 || known.learnt > 0) return undefined;
  return JSON.stringify([
    [...schemas].map(([name, schema]) => [name, hashOf(schema)]),
    ...[readOnly, renamed, canonical, verdicts].map((map) => map && [...map]),
    given,
    known,
    isPlain,
    links,
  ]);
}

const schemaHashes = new WeakMap<JsonSchema, string>();

/** A schema stays the same object as long as its server lists it unchanged. */
function hashOf(schema: JsonSchema): string {
  // A server may list anything in place of a schema.
  if (typeof schema !== 'object') return JSON.stringify(schema);
  const known = schemaHashes.get(schema);
  if (known !== undefined) return known;
  const found = hash('sha256', JSON.stringify(schema), 'base64');
  schemaHashes.set(schema, found);
  return found;
}

/** Copies plain data, and keeps objects without a prototype so. */
function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  const copy = Object.create(Object.getPrototypeOf(value));
  for (const key of Object.keys(value)) {
    const member = frozenCopy(value[key as keyof T & object]);
    // Defined, not assigned: `__proto__` is a key like others.
    Object.defineProperty(copy, key, { value: member, enumerable: true });
  }
  return Object.freeze(copy);
}
