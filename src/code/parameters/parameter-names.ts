import type { Json } from '../../json.ts';

export interface Parameter {
  readonly name: string;
  /** A secret is required and stored nowhere. */
  readonly secret: boolean;
  /** The literal that the code had in its place; none for a secret. */
  readonly default?: Json;
}

const MAX_NAME = 40;
/** A capability with more parameters is no easier to call than its code. Further literals stay in the code. */
const MAX_PARAMETERS = 50;

/**
 * Allocates parameter names. Literals with the same key and value share a parameter: five calls with one `owner` have one
 * `owner`. The same key with another value is another parameter: `path`, `path_2`.
 */
export class ParameterNames {
  readonly #taken: Set<string>;
  readonly #counts = new Map<string, number>();
  readonly #allocated = new Map<string, Parameter>();

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** Returns the parameter for a literal; undefined if there are too many already. A secret always gets one. */
  allocate(key: string | undefined, value: Json, secret: false): Parameter | undefined;
  allocate(key: string | undefined, value: Json, secret: true): Parameter;
  allocate(key: string | undefined, value: Json, secret: boolean): Parameter | undefined {
    const base = identifierFrom(key ?? 'value');
    const identity = `${secret ? 'secret' : 'data'} ${base} ${JSON.stringify(value)}`;
    const shared = this.#allocated.get(identity);
    if (shared) return shared;
    if (!secret && this.#allocated.size >= MAX_PARAMETERS) return undefined;
    const name = this.#freeName(base);
    this.#taken.add(name);
    const parameter = secret ? { name, secret } : { name, secret, default: value };
    this.#allocated.set(identity, parameter);
    return parameter;
  }

  all(): Parameter[] {
    return [...this.#allocated.values()];
  }

  #freeName(base: string): string {
    let count = this.#counts.get(base) ?? 0;
    let name = base;
    do {
      count += 1;
      name = count === 1 ? base : `${base}_${count}`;
    } while (this.#taken.has(name));
    this.#counts.set(base, count);
    return name;
  }
}

/** Makes a name that every model API accepts for a property, and that may follow `args.`. */
function identifierFrom(key: string): string {
  const [trimmed] = /[^_](?:.*[^_])?/.exec(key.replace(/[^A-Za-z0-9_]+/g, '_')) ?? [''];
  const plain = trimmed.slice(0, MAX_NAME);
  if (plain === '') return 'value';
  const name = /^\d/.test(plain) ? `_${plain}` : plain;
  // `args.constructor` exists even if nobody passed it.
  return name in Object.prototype ? `${name}_` : name;
}
