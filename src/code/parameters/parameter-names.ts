import type { Json } from '../../json.ts';

export interface Parameter {
  readonly name: string;
  /** Required, and stored nowhere. */
  readonly secret: boolean;
  /** What the code had in its place; none for a secret. */
  readonly default?: Json;
}

const LONGEST = 40;
/** A capability that asks for more is no easier to call than its code. What comes after stays in the code. */
const MOST = 50;

/**
 * Gives out parameter names. A literal under the key and with the value of an earlier one is the same parameter: five
 * calls about one `owner` have one `owner`. The same key with another value is another parameter: `path`, `path_2`.
 */
export class ParameterNames {
  readonly #taken: Set<string>;
  readonly #counts = new Map<string, number>();
  readonly #given = new Map<string, Parameter>();

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** The parameter for a literal; undefined if there are too many already. A secret always gets one. */
  give(key: string | undefined, value: Json, secret: false): Parameter | undefined;
  give(key: string | undefined, value: Json, secret: true): Parameter;
  give(key: string | undefined, value: Json, secret: boolean): Parameter | undefined {
    const base = identifierFrom(key ?? 'value');
    const same = `${secret ? 'secret' : 'data'} ${base} ${JSON.stringify(value)}`;
    const before = this.#given.get(same);
    if (before) return before;
    if (!secret && this.#given.size >= MOST) return undefined;
    const name = this.#free(base);
    this.#taken.add(name);
    const parameter = secret ? { name, secret } : { name, secret, default: value };
    this.#given.set(same, parameter);
    return parameter;
  }

  all(): Parameter[] {
    return [...this.#given.values()];
  }

  #free(base: string): string {
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

/** Only what every model API accepts as the name of a property, and what may follow `args.`. */
function identifierFrom(key: string): string {
  const [trimmed] = /[^_](?:.*[^_])?/.exec(key.replace(/[^A-Za-z0-9_]+/g, '_')) ?? [''];
  const plain = trimmed.slice(0, LONGEST);
  if (plain === '') return 'value';
  const name = /^\d/.test(plain) ? `_${plain}` : plain;
  // `args.constructor` is there even when nobody passed it.
  return name in Object.prototype ? `${name}_` : name;
}
