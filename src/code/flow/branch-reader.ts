import { PatternReader } from './pattern-reader.ts';
import { type Side, Unreachable } from './reader-core.ts';
import { type Built, State, sameBuilt, sameValue, type Value } from './state.ts';
import type { Choice, Step } from './steps.ts';
import type { Term } from './terms.ts';
import { Unreadable } from './unreadable.ts';

/** A function that is being read: the program itself, or one that is inlined. */
export interface Activation {
  /** Undefined for the program, whose `return` is a step. */
  readonly inlined: { result?: Value } | undefined;
  readonly isAwaited: boolean;
}

/** Reads conditionals, and loops over lists that only the run knows. */
export abstract class BranchReader extends PatternReader {
  choose(test: Term, yes: () => Value, no: () => Value): Value {
    const inlined: { result?: Value } = {};
    const take = (read: () => Value) => () => {
      inlined.result = read();
    };
    this.branch(test, { inlined, isAwaited: true }, take(yes), take(no));
    if (!inlined.result) throw new Unreachable();
    return inlined.result;
  }

  /** Reads both sides of a condition. A variable that differs afterwards becomes a choice, unless one side ends. */
  branch(condition: Term, activation: Activation, first: () => void, second: () => void): void {
    const { test, isNegated } = withoutNot(condition);
    const [yes, no] = (isNegated ? [second, first] : [first, second]).map((run) =>
      this.#side(run, activation),
    );
    if (!yes || !no) return;
    const isLeft = (side: BranchSide) => side.isEnded || endsIn(side.steps);
    if (isLeft(yes) && isLeft(no)) {
      this.#emitBoth(test, yes, no);
      throw new Unreachable();
    }
    if (isLeft(yes) || isLeft(no)) {
      const [ended, other] = isLeft(yes) ? [yes, no] : [no, yes];
      this.#emitGuard(test, isLeft(yes), ended.steps);
      this.steps.push(...other.steps);
      this.state = other.state;
      if (activation.inlined && other.result) activation.inlined.result = other.result;
      return;
    }
    this.#join(test, yes, no, activation);
  }

  #side(run: () => void, activation: Activation): BranchSide {
    const { inlined } = activation;
    const before = inlined?.result;
    if (inlined) delete inlined.result;
    const side = this.aside(run);
    const result = inlined?.result;
    if (inlined) {
      delete inlined.result;
      if (before) inlined.result = before;
    }
    return { ...side, result };
  }

  #emitBoth(test: Term, yes: BranchSide, no: BranchSide): void {
    const [first] = yes.steps;
    const [second] = no.steps;
    const isValue =
      yes.steps.length === 1 &&
      no.steps.length === 1 &&
      first?.kind === 'return' &&
      second?.kind === 'return';
    if (isValue) {
      const term = this.terms.operation('conditional', [test, first.term, second.term]);
      this.flush([term]);
      this.emit({ kind: 'return', term });
      return;
    }
    this.#emitGuard(test, true, yes.steps);
    this.steps.push(...no.steps);
  }

  /** Emits `if (…) { … return }`; the steps after it are the other side. */
  #emitGuard(test: Term, isTrue: boolean, steps: readonly Step[]): void {
    const condition = isTrue ? test : this.terms.operation('unary !', [test]);
    this.flush([test]);
    this.emit({ kind: 'branch', test: condition, yes: steps, no: [], choices: [] });
  }

  #join(test: Term, yes: BranchSide, no: BranchSide, { inlined }: Activation): void {
    const pairs: { set: (term: Term) => void; values: [Value, Value] }[] = [];
    const joined = new State(this.state);
    for (const at of this.state.cells.keys()) {
      const values = [yes.state.cells.get(at), no.state.cells.get(at)] as [Value, Value];
      if (sameValue(...values)) joined.cells.set(at, values[0]);
      else pairs.push({ set: (term) => joined.cells.set(at, { kind: 'term', term }), values });
    }
    for (const at of this.state.heap.keys()) {
      const built = yes.state.builtForChange(at);
      if (!sameBuilt(built, no.state.heap.get(at))) throw new Unreadable('a value that one side changes');
      joined.heap.set(at, built);
    }
    for (const side of [yes, no]) {
      for (const [at, built] of side.state.heap) if (!joined.heap.has(at)) joined.heap.set(at, built);
      if (side.state.unawaited.size !== this.state.unawaited.size)
        throw new Unreadable('a call awaited on one side');
    }
    if (inlined) this.#joinResults(yes, no, inlined, pairs);
    const terms = pairs.map(
      ({ values }) => [this.#termIn(yes, values[0]), this.#termIn(no, values[1])] as const,
    );
    this.#flushSide(
      yes,
      terms.map(([term]) => term),
    );
    this.#flushSide(
      no,
      terms.map(([, term]) => term),
    );
    const isComputed = yes.steps.length === 0 && no.steps.length === 0;
    if (isComputed) joined.pending = this.state.pending;
    else this.flush([test]);
    this.state = joined;
    if (isComputed) {
      this.note(test);
      pairs.forEach(({ set }, at) => {
        const value = this.terms.operation('conditional', [test, ...(terms[at] as readonly [Term, Term])]);
        this.note(value);
        set(value);
      });
      return;
    }
    const choices = pairs.map(({ set }, at): Choice => {
      const [first, second] = terms[at] as readonly [Term, Term];
      const variable = this.next('variable');
      set(this.terms.variable(variable));
      return { variable, first, second };
    });
    this.emit({ kind: 'branch', test, yes: yes.steps, no: no.steps, choices });
  }

  #joinResults(
    yes: BranchSide,
    no: BranchSide,
    inlined: { result?: Value },
    pairs: { set: (term: Term) => void; values: [Value, Value] }[],
  ): void {
    if (yes.result && no.result) {
      const values: [Value, Value] = [this.#settled(yes, yes.result), this.#settled(no, no.result)];
      if (sameValue(...values)) inlined.result = values[0];
      else {
        pairs.push({
          set: (term) => {
            inlined.result = { kind: 'term', term };
          },
          values,
        });
      }
    } else if (yes.result || no.result) throw new Unreadable('a function that returns on one side');
  }

  /** Awaits a promise in the side that returns it, so that the two sides can be joined to one value. */
  #settled(side: BranchSide, value: Value): Value {
    return value.kind === 'promise' ? this.#within(side, () => this.await(value)) : value;
  }

  #termIn(side: BranchSide, value: Value): Term {
    return this.#within(side, () => this.term(value));
  }

  #flushSide(side: BranchSide, used: readonly Term[]): void {
    this.#within(side, () => this.flush(used));
  }

  #within<T>(side: BranchSide, act: () => T): T {
    const { state, steps } = this;
    this.state = side.state;
    this.steps = side.steps;
    try {
      return act();
    } finally {
      this.state = state;
      this.steps = steps;
    }
  }

  each(list: Term, round: (item: Value) => Value | undefined, isParallel: boolean): Value {
    this.flush([list]);
    const item = this.next('variable');
    let result: Value | undefined;
    const read = new Set<number>();
    const side = this.aside(() => {
      this.state.readers = [...this.state.readers, read];
      result = round({ kind: 'term', term: this.terms.variable(item) });
    });
    if (side.isEnded) throw new Unreadable('a loop whose first round is its last');
    const values: { value: Value; set: (list: Value) => void }[] = this.#additions(side, read);
    if (isParallel && values.length > 0) throw new Unreadable('a list in the order of answers');
    let collected: Value | undefined;
    if (result) {
      const set = (all: Value) => {
        collected = all;
      };
      values.push({ value: result, set });
    }
    const terms = values.map(({ value }) =>
      this.#within({ ...side, result: undefined }, () => this.term(value)),
    );
    this.#within({ ...side, result: undefined }, () => this.flush(terms));
    const lists = terms.map((value) => ({ variable: this.next('variable'), value }));
    this.emit({ kind: 'each', list, item, body: side.steps, collected: lists, isParallel });
    lists.forEach(({ variable }, at) => {
      values[at]?.set({ kind: 'term', term: this.terms.variable(variable) });
    });
    return collected ?? this.constant(undefined);
  }

  /**
   * Finds the arrays and dictionaries that got one more item in the round. Nothing else may have changed, and none of
   * them may have been read: only the run knows what earlier rounds added.
   */
  #additions(side: Side, read: ReadonlySet<number>): { value: Value; set: (list: Value) => void }[] {
    const found: { value: Value; set: (list: Value) => void }[] = [];
    for (const [at, before] of this.state.heap) {
      const after = side.state.heap.get(at) as Built;
      if (sameBuilt(before, after)) continue;
      if (after.kind === 'object' || read.has(at)) throw new Unreadable('a value that changes in a loop');
      const earlier = isEmptyObject(before) ? [] : before.kind === after.kind ? before.items : undefined;
      const added = after.items.at(-1);
      const { kind } = after;
      const isGrown =
        earlier && sameBuilt({ kind, items: earlier }, { kind, items: after.items.slice(0, -1) });
      if (!isGrown || !added || added.isSpread) throw new Unreadable('a list that changes in a loop');
      const set = (value: Value) =>
        this.state.heap.set(at, { kind, items: [...earlier, { value, isSpread: true }] });
      found.push({ value: added.value, set });
    }
    for (const [cell, value] of this.state.cells) {
      if (!sameValue(value, side.state.cells.get(cell)))
        throw new Unreadable('a variable that changes in a loop');
    }
    if (side.state.unawaited.size !== this.state.unawaited.size)
      throw new Unreadable('a call that a loop does not await');
    return found;
  }
}

/** An object becomes a dictionary when it gets a key that only the run knows. */
function isEmptyObject(built: Built): boolean {
  return built.kind === 'object' && built.entries.size === 0;
}

interface BranchSide extends Side {
  readonly result: Value | undefined;
}

function withoutNot(term: Term): { test: Term; isNegated: boolean } {
  if (term.kind !== 'operation' || term.name !== 'unary !') return { test: term, isNegated: false };
  const { test, isNegated } = withoutNot(term.operands[0] as Term);
  return { test, isNegated: !isNegated };
}

/** True if the steps end the program. */
function endsIn(steps: readonly Step[]): boolean {
  const last = steps.at(-1);
  if (last?.kind === 'return' || last?.kind === 'throw') return true;
  if (last?.kind === 'attempt') return endsIn(last.body) && endsIn(last.handler);
  return false;
}
