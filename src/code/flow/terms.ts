import { Unreadable } from './unreadable.ts';

export type Primitive = string | number | boolean | null | undefined;

/** A value that a program computes, as an expression over its calls. Terms are immutable, and equal terms are one object. */
export type Term = Constant | Reference | Operation;

export interface Constant {
  readonly kind: 'constant';
  readonly id: number;
  readonly value: Primitive;
  /** The place in the source that the value comes from; two literals are two places. */
  readonly origin: string | undefined;
}

/** A value that only the run knows: the result of a call, the item of a loop, a caught error; or a global. */
export interface Reference {
  readonly kind: 'result' | 'variable' | 'global';
  readonly id: number;
  /** The number of the call or variable; the name of the global. */
  readonly of: number | string;
}

export interface Operation {
  readonly kind: 'operation';
  readonly id: number;
  /** The operation: `member`, `object`, `binary +`, `call .map`, … */
  readonly name: string;
  readonly operands: readonly Term[];
  /** The keys of an object in order; null stands for a spread. */
  readonly keys: readonly (string | null)[] | undefined;
  readonly mayThrow: boolean;
  readonly depth: number;
}

/** Terms are walked recursively. Only a loop that nests a value in itself makes deeper ones. */
const MAX_DEPTH = 200;
/** More terms than any sensible procedure has. */
const MAX_TERMS = 20_000;

/** Interns terms. */
export class TermTable {
  readonly #terms = new Map<string, Term>();

  constant(value: Primitive, origin?: string): Constant {
    const text = typeof value === 'string' ? JSON.stringify(value) : spell(value);
    return this.#intern(`c ${origin ?? ''} ${text}`, (id) => ({
      kind: 'constant',
      id,
      value,
      origin,
    })) as Constant;
  }

  result(call: number): Term {
    return this.#intern(`r ${call}`, (id) => ({ kind: 'result', id, of: call }));
  }

  variable(number: number): Term {
    return this.#intern(`v ${number}`, (id) => ({ kind: 'variable', id, of: number }));
  }

  global(name: string): Term {
    return this.#intern(`g ${name}`, (id) => ({ kind: 'global', id, of: name }));
  }

  operation(name: string, operands: readonly Term[], keys?: readonly (string | null)[]): Term {
    const key = `o ${name} ${operands.map(({ id }) => id).join()} ${keys ? JSON.stringify(keys) : ''}`;
    return this.#intern(key, (id) => {
      const depth = 1 + Math.max(0, ...operands.map((one) => (one.kind === 'operation' ? one.depth : 0)));
      if (depth > MAX_DEPTH) throw new Unreadable('a value nested too deeply');
      return { kind: 'operation', id, name, operands, keys, mayThrow: mayThrow(name, operands), depth };
    });
  }

  member(object: Term, key: Term): Term {
    return this.operation('member', [object, key]);
  }

  #intern(key: string, make: (id: number) => Term): Term {
    const known = this.#terms.get(key);
    if (known) return known;
    if (this.#terms.size >= MAX_TERMS) throw new Unreadable('too many values');
    const term = make(this.#terms.size);
    this.#terms.set(key, term);
    return term;
  }
}

function spell(value: Primitive): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

export function throws(term: Term): boolean {
  return term.kind === 'operation' && term.mayThrow;
}

/** Operations on data that never throw by themselves: JSON has no getters, symbols or big integers. */
const NEVER_THROWS =
  /^(?:object|array|template|chain|conditional|new Error|call (?:String|Number|Boolean|Array\.isArray|JSON\.stringify|parseInt|parseFloat|Math\.\w+))$|^(?:logical|lambda|unary|binary) /;
const MAY_THROW: ReadonlySet<string> = new Set(['binary in', 'binary instanceof']);

function mayThrow(name: string, operands: readonly Term[]): boolean {
  if (name.startsWith('lambda')) return false;
  if (operands.some(throws)) return true;
  if (name === 'member') return !isNeverNullish(operands[0] as Term);
  return MAY_THROW.has(name) || !(NEVER_THROWS.test(name) || name === 'optional member');
}

function isNeverNullish(term: Term): boolean {
  if (term.kind === 'constant') return term.value !== null && term.value !== undefined;
  if (term.kind === 'global') return true;
  return term.kind === 'operation' && /^(?:object|array|template)$/.test(term.name);
}

/** Collects the terms that are always computed with this one: none behind a condition or inside a function. */
export function addComputed(term: Term, found: Set<number>): void {
  if (found.has(term.id)) return;
  found.add(term.id);
  if (term.kind !== 'operation' || term.name.startsWith('lambda')) return;
  const isLazy = /^(?:logical|conditional|chain|optional)/.test(term.name);
  for (const operand of isLazy ? term.operands.slice(0, 1) : term.operands) addComputed(operand, found);
}
