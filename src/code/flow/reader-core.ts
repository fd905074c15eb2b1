import type { Node, Program } from '../syntax/ast.ts';
import type { Scopes } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { bounded } from './constant-folding.ts';
import { type Built, type Item, State, sameBuilt, sameValue, type Value } from './state.ts';
import type { Step } from './steps.ts';
import { addComputed, type Constant, type Primitive, type Term, TermTable, throws } from './terms.ts';
import { Unreadable } from './unreadable.ts';

/** How much reading one program may cost: nodes visited, unrolled and inlined ones each time. */
const FUEL = 30_000;
const MAX_CALLS = 500;
const MAX_ITEMS = 1_000;

/** Thrown where a branch ends by `return` or `throw`: what follows is not reached. */
export class Unreachable extends Error {}

/** An async function that runs while its caller goes on: all that it does after its first `await` comes later. */
interface Deferral {
  isSuspended: boolean;
  readonly calls: number[];
  readonly computes: Term[];
}

/** The state of a reading, and the steps and terms that it yields. */
export class ReaderCore {
  readonly program: Program;
  readonly scopes: Scopes;
  readonly terms = new TermTable();
  readonly isKnown: (name: string) => boolean;
  /** The name of the constant that first held a literal, by origin. */
  readonly names = new Map<string, string>();
  state = new State();
  steps: Step[] = [];
  /** Greater than zero inside a function that is handed to a method, which may only compute. */
  pure = 0;
  deferral: Deferral | undefined;
  #fuel = FUEL;
  #numbers = { call: 0, variable: 0, cell: 0, built: 0, batch: 0 };
  readonly #folds = new Map<string, string>();

  constructor(program: Program, isKnown: (name: string) => boolean) {
    this.program = program;
    this.scopes = scopesOf(program);
    this.isKnown = isKnown;
  }

  spend(): void {
    this.#fuel -= 1;
    if (this.#fuel < 0) throw new Unreadable('too much to read');
  }

  next(what: 'variable' | 'cell' | 'built'): number {
    this.#numbers[what] += 1;
    return this.#numbers[what];
  }

  get callCount(): number {
    return this.#numbers.call;
  }

  // Values

  constant(value: Primitive, origin?: string): Value {
    return { kind: 'term', term: this.terms.constant(value, origin) };
  }

  literal(node: Node, value: Primitive): Value {
    return this.constant(value, String(node.start));
  }

  operation(name: string, operands: readonly Term[], keys?: readonly (string | null)[]): Value {
    return { kind: 'term', term: this.terms.operation(name, operands, keys) };
  }

  /** A constant computed from others. Its origin stands for all their origins together. */
  folded(value: Primitive, parts: readonly Constant[]): Value {
    const origins = parts.flatMap(({ origin }) => origin ?? []);
    const isSame = parts.length === 1 && Object.is(parts[0]?.value, value);
    if (origins.length === 0 || isSame) return this.constant(value, origins[0]);
    // The same places may yield several values: `Number(x)` and `x`.
    const key = `${origins.join()} ${typeof value} ${String(value)}`;
    const origin = this.#folds.get(key) ?? `f${this.#folds.size}`;
    this.#folds.set(key, origin);
    return this.constant(value, origin);
  }

  /** True for a constant without a name in the source: a named one decides what the program does, and stays visible. */
  isPlain(term: Term): term is Constant {
    return term.kind === 'constant' && !this.names.has(term.origin ?? '');
  }

  /** Concatenates constants to one text. */
  foldText(parts: readonly Constant[]): Term {
    const whole = bounded(parts.map(({ value }) => String(value)).join(''));
    return whole ? this.term(this.folded(whole.value, parts)) : this.terms.operation('template', parts);
  }

  /** The argument of a call. A text of constants is one constant there, however it was put together. */
  #passed(term: Term): Term {
    if (term.kind !== 'operation') return term;
    const { name, operands, keys } = term;
    if (name === 'template' && operands.every((one): one is Constant => one.kind === 'constant'))
      return this.foldText(operands);
    if (name !== 'object' && name !== 'array') return term;
    return this.terms.operation(
      name,
      operands.map((operand) => this.#passed(operand)),
      keys,
    );
  }

  build(built: Built): Value {
    if (built.kind !== 'object' && built.items.length > MAX_ITEMS)
      throw new Unreadable('a list that is too long');
    const at = this.next('built');
    this.state.heap.set(at, built);
    return { kind: 'built', at };
  }

  buildArray(values: readonly Value[]): Value {
    return this.build({ kind: 'array', items: values.map((value) => ({ value, isSpread: false })) });
  }

  /** Converts a value to a term. Objects and arrays that the program built are taken as they are at this moment. */
  term(value: Value, within: readonly number[] = []): Term {
    this.spend();
    if (value.kind === 'term') return value.term;
    if (value.kind === 'builtin') return this.terms.global(value.path);
    if (value.kind !== 'built' || within.includes(value.at)) throw new Unreadable(`a ${value.kind} as data`);
    const inside = [...within, value.at];
    const built = this.state.built(value.at);
    if (built.kind === 'object') {
      const operands = [...built.entries.values()].map((one) => this.term(one, inside));
      return this.terms.operation('object', operands, [...built.entries.keys()]);
    }
    const list = this.#arrayTerm(built.items, inside);
    return built.kind === 'array' ? list : this.terms.operation('call Object.fromEntries', [list]);
  }

  #arrayTerm(items: readonly Item[], inside: readonly number[]): Term {
    const operands = items.map(({ value, isSpread }) => {
      const term = this.term(value, inside);
      return isSpread ? this.terms.operation('spread', [term]) : term;
    });
    const [only] = operands;
    // A copy of a collected list is the list.
    if (operands.length === 1 && only?.kind === 'operation' && only.name === 'spread') {
      const [list] = only.operands;
      if (list?.kind === 'variable') return list;
    }
    return this.terms.operation('array', operands);
  }

  constantOf(value: Value): Constant | undefined {
    return value.kind === 'term' && value.term.kind === 'constant' ? value.term : undefined;
  }

  /** Refuses a change whose time depends on when a call ends. */
  assertInTurn(): void {
    if (this.deferral?.isSuspended) throw new Unreadable('a change in the order of answers');
  }

  // Steps

  emit(step: Step): void {
    if (this.pure > 0) throw new Unreadable('a step inside a function that only computes');
    if (this.deferral?.isSuspended) throw new Unreadable('steps that run beside others');
    this.steps.push(step);
  }

  /** Notes that the program computes a term here. If that may throw, it must happen before the next call. */
  note(term: Term): void {
    if (!throws(term)) return;
    if (this.deferral?.isSuspended) this.deferral.computes.push(term);
    else this.state.pending.push(term);
  }

  noteValue(value: Value): void {
    if (value.kind === 'term') this.note(value.term);
  }

  /** Emits the pending terms that computing the used terms would not compute anyway. */
  flush(used: readonly Term[]): void {
    const computed = new Set<number>();
    for (const term of used) addComputed(term, computed);
    for (const term of this.state.pending) {
      if (computed.has(term.id)) continue;
      this.emit({ kind: 'evaluate', term });
      addComputed(term, computed);
    }
    this.state.pending = [];
  }

  /** Makes a call; its promise is the value. */
  call(name: string, args: readonly Value[]): Value {
    if (!this.isKnown(name)) throw new Unreadable('a name that only the run knows');
    const terms = args.map((arg) => this.#passed(this.term(arg)));
    this.flush(terms);
    const call = this.callCount;
    if (call >= MAX_CALLS) throw new Unreadable('too many calls');
    this.#numbers.call += 1;
    const last = this.steps.at(-1);
    const joins = last?.kind === 'call' && this.state.unawaited.has(last.call);
    if (!joins) this.#numbers.batch += 1;
    this.emit({ kind: 'call', call, name, args: terms, batch: joins ? last.batch : this.#numbers.batch });
    this.state.unawaited.add(call);
    const value: Value = { kind: 'term', term: this.terms.result(call) };
    return { kind: 'promise', value, calls: [call], computes: [] };
  }

  await(value: Value): Value {
    if (value.kind === 'mapped') throw new Unreadable('promises of a list that nobody awaits');
    if (value.kind !== 'promise') return value;
    if (this.deferral) {
      this.deferral.isSuspended = true;
      this.deferral.calls.push(...value.calls);
      this.deferral.computes.push(...value.computes);
    } else {
      for (const call of value.calls) this.state.unawaited.delete(call);
      for (const term of value.computes) this.note(term);
    }
    return this.await(value.value);
  }

  /** Reads what happens only under a condition, in a loop or inside `try`, on a copy of the state. */
  aside(run: () => void): Side {
    const { state, steps } = this;
    this.state = new State(state);
    this.steps = [];
    let isEnded = false;
    try {
      run();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      isEnded = true;
    }
    const side = { state: this.state, steps: this.steps, isEnded };
    this.state = state;
    this.steps = steps;
    return side;
  }

  /** Reads what is computed only under a condition, or later and more than once. It may change nothing and call nothing. */
  purely(run: () => Value): Term {
    let term: Term | undefined;
    this.pure += 1;
    const { state, isEnded } = this.aside(() => {
      term = this.term(run());
    });
    this.pure -= 1;
    if (!term || isEnded) throw new Unreadable('a function that only throws');
    this.assertUnchanged(state);
    const computed = new Set<number>();
    addComputed(term, computed);
    if (state.pending.some(({ id }) => !computed.has(id)))
      throw new Unreadable('a value that is computed for nothing');
    return term;
  }

  /** Refuses changes, made aside, of variables, objects and arrays that existed before. */
  assertUnchanged(side: State): void {
    for (const [cell, value] of this.state.cells) {
      if (!sameValue(value, side.cells.get(cell))) throw new Unreadable('a variable that changes aside');
    }
    for (const [at, built] of this.state.heap) {
      if (!sameBuilt(built, side.heap.get(at))) throw new Unreadable('a value that changes aside');
    }
    const isSame = side.unawaited.size === this.state.unawaited.size;
    if (!isSame) throw new Unreadable('a call that is awaited elsewhere');
  }
}

/** Steps that were read aside. `isEnded` is true if nothing after them is reached. */
export interface Side {
  readonly state: State;
  readonly steps: Step[];
  readonly isEnded: boolean;
}
