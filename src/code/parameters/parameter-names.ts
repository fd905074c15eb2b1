import type { Json, JsonSchema } from '../../json.ts';
import type { Node } from '../syntax/ast.ts';
import { identifierFrom, type NamedPlace, nameByRole, withOrdinals } from './name-by-role.ts';

export interface Parameter {
  readonly name: string;
  /** A secret is required, unless it is linked, and stored nowhere. */
  readonly secret: boolean;
  /** The literal that the code had in its place. */
  readonly default?: Json;
  /**
   * The literal that the code had in its place, if there is no default: a tool writes it, so each call must give its own,
   * or a run would write the first run's data by omission.
   */
  readonly example?: Json;
  /** The part of an earlier call's result that the code takes without the argument; its literal is stored nowhere then. */
  readonly linkedTo?: string;
  /** The only values that the code may get, whatever its tools accept. */
  readonly schema?: JsonSchema;
}

/** A capability with more parameters is no easier to call than its code. Further literals stay in the code. */
export const MAX_PARAMETERS = 50;

/** Allocates the parameters of a program. */
export class ParameterNames {
  readonly #existing: ReadonlySet<string>;
  readonly #taken: Set<string>;
  readonly #planned: ReadonlyMap<Node, string>;
  readonly #allocated = new Map<string, Parameter>();
  readonly #secrets = new Map<string, Parameter>();

  /** `taken` are the arguments that the code has already; `places` are the literals to name, in the order of their calls. */
  constructor(taken: Iterable<string>, places: ReadonlyMap<Node, NamedPlace> = new Map()) {
    const existing = new Set(taken);
    this.#existing = existing;
    const names = nameByRole([...places.values()], existing);
    this.#planned = new Map([...places.keys()].map((node, index) => [node, names[index] as string]));
    this.#taken = new Set([...existing, ...names]);
  }

  /** The name that a literal has if it becomes a parameter. */
  plannedFor(node: Node): string | undefined {
    return this.#planned.get(node);
  }

  /** Returns the parameter for a literal whose place is known; undefined if there are too many already. */
  lift(node: Node, value: Json, isRequired: boolean): Parameter | undefined {
    const name = this.#planned.get(node);
    if (name === undefined || this.#allocated.size >= MAX_PARAMETERS) return undefined;
    return this.#add({ name, secret: false, ...(isRequired ? { example: value } : { default: value }) });
  }

  /**
   * Returns the parameter for a secret; equal secrets share one. `word` is what the code calls it: it tells the secret from an
   * argument of the code that has the name of the key.
   */
  secret(key: string | undefined, value: string, node: Node, word = key): Parameter {
    const shared = this.#secrets.get(value);
    if (shared) return shared;
    const planned = this.#planned.get(node);
    const byKey = identifierFrom(key ?? 'secret');
    const base = this.#existing.has(byKey) ? identifierFrom(word ?? byKey) : byKey;
    const [name = base] = planned === undefined ? withOrdinals([base], this.#taken) : [planned];
    this.#taken.add(name);
    const parameter = this.#add({ name, secret: true });
    this.#secrets.set(value, parameter);
    return parameter;
  }

  all(): Parameter[] {
    return [...this.#allocated.values()];
  }

  #add(parameter: Parameter): Parameter {
    this.#allocated.set(parameter.name, parameter);
    return parameter;
  }
}
