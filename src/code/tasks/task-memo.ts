import { hash } from 'node:crypto';
import type { JsonSchema } from '../../json.ts';
import { findLinks } from '../links/find-links.ts';
import type { CODE_TASKS } from './task-table.ts';

type CodeTasks = typeof CODE_TASKS;
type LearnOptions = Parameters<CodeTasks['learn']>[1];

/** Results are dropped, the oldest first, beyond this many characters of source and result. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
const MAX_RESULTS = 2000;

interface Remembered {
  readonly value: unknown;
  readonly characters: number;
}

/**
 * Remembers what tasks found in code, by all that each was given: agents send the same code again, and a capability runs
 * many times. Tasks are pure, so a result is the same whether it was remembered or not; results are frozen, so that it
 * stays so.
 */
export class TaskMemo {
  readonly #results = new Map<string, Remembered>();
  #characters = 0;

  get size(): number {
    return this.#results.size;
  }

  /** Identifies a task and all that its result depends on; undefined if its result must not be remembered. */
  keyOf(task: keyof CodeTasks, source: string, rest: readonly unknown[]): string | undefined {
    const options = optionsText(task, rest);
    if (options === undefined) return undefined;
    // Lengths keep the parts apart, whatever they hold.
    const text = `${task} ${source.length} ${options.length} ${source}${options}`;
    return hash('sha256', text, 'base64');
  }

  recall<T>(key: string): { value: T } | undefined {
    return this.#results.get(key) as { value: T } | undefined;
  }

  /** Remembers a result, and returns it frozen. */
  remember<T>(key: string, source: string, result: T): T {
    // A copy: parts of the result may be the caller's own.
    const value = frozenCopy(result);
    const characters = source.length + (JSON.stringify(value)?.length ?? 0);
    if (characters > MAX_CHARACTERS / 10) return value;
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

/** The text of what a task is given besides the source; undefined for a task whose results are not remembered. */
function optionsText(task: keyof CodeTasks, rest: readonly unknown[]): string | undefined {
  if (task === 'accept' || task === 'prepareRun' || task === 'functionBody') return JSON.stringify(rest);
  return task === 'learn' ? learnOptionsText(rest[0] as LearnOptions) : undefined;
}

/** Of the run's calls, what is learned depends on their names and on the links between them alone. */
function learnOptionsText(options: LearnOptions): string | undefined {
  const { schemas, readOnly, renamed, canonical, given, secrets, passed, said = '', verdicts } = options;
  const { run, ...known } = secrets;
  // The secrets of a run must not outlive it.
  if (run.isFull || run.secrets.length > 0 || known.learnt > 0) return undefined;
  return JSON.stringify([
    [...schemas].map(([name, schema]) => [name, hashOf(schema)]),
    ...[readOnly, renamed, canonical, verdicts].map((map) => map && [...map]),
    given,
    known,
    passed?.map(({ name }) => name),
    passed && passed.length > 1 ? findLinks(passed, { said }) : [],
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
