import { type Node, type Program, unwrap, valueChildren } from '../syntax/ast.ts';
import { isThunk } from '../syntax/strip-types.ts';
import { CallReader } from './call-reader.ts';
import { closureOf } from './expression-reader.ts';
import { type Side, Unreachable } from './reader-core.ts';
import { type Built, Frame, State, sameBuilt, sameValue, type Value } from './state.ts';
import type { Choice, Step } from './steps.ts';
import type { Term, TermTable } from './terms.ts';
import { Unreadable } from './unreadable.ts';

/** What a program does: its steps, and the names that its constants have in the source, by origin. */
export interface Flow {
  readonly steps: readonly Step[];
  readonly names: ReadonlyMap<string, string>;
  /** Makes further terms for the steps. */
  readonly terms: TermTable;
}

/**
 * Reads a program symbolically: functions are inlined, constants followed, loops over written-out lists unrolled. Throws
 * `Unreadable` at whatever it does not follow.
 */
export function readProgram(program: Program, isKnown: (name: string) => boolean): Flow {
  const reader = new ProgramReader(program, isKnown);
  reader.run();
  return { steps: reader.steps, names: reader.names, terms: reader.terms };
}

/** A function that is being read: the program itself, or one that is inlined. */
interface Activation {
  /** Undefined for the program, whose `return` is a step. */
  readonly inlined: { result?: Value } | undefined;
  readonly isAwaited: boolean;
}

/** Where `break` and `continue` lead. */
interface Loop {
  readonly onBreak: () => void;
  readonly onContinue: () => void;
}

interface Place {
  readonly frame: Frame;
  readonly activation: Activation;
  readonly loop: Loop | undefined;
  /** Inside `try`, where a promise that is returned fails outside of it. */
  readonly isGuarded?: boolean;
}

class ProgramReader extends CallReader {
  run(): void {
    const frame = new Frame(undefined, true);
    const activation = { inlined: undefined, isAwaited: true };
    const place = { frame, activation, loop: undefined };
    const [statement] = this.program.body;
    if (this.program.kind === 'expression' && statement?.type === 'ExpressionStatement') {
      const value = this.read(statement.expression, frame, true);
      const isCalled = isThunk(statement.expression) && value.kind === 'closure';
      this.#end(() => this.#return(isCalled ? this.callClosure(value, [], true) : value, activation));
    } else {
      this.#end(() =>
        this.#list(this.program.body, 0, place, () => this.#return(this.constant(undefined), activation)),
      );
    }
  }

  #end(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  runBody(statements: readonly Node[], frame: Frame, isAwaited: boolean): Value {
    const inlined: { result?: Value } = {};
    const place = { frame, activation: { inlined, isAwaited }, loop: undefined };
    this.#list(statements, 0, place, () => {
      inlined.result = this.constant(undefined);
    });
    // Without a result, every way through the function throws.
    if (!inlined.result) throw new Unreachable();
    return inlined.result;
  }

  /** Reads statements from one on, then goes on with `next`. */
  #list(statements: readonly Node[], at: number, place: Place, next: () => void): void {
    if (at === 0) this.#hoist(statements, place.frame);
    const statement = statements[at];
    if (!statement) {
      next();
      return;
    }
    this.#statement(statement, place, () => this.#list(statements, at + 1, place, next));
  }

  #hoist(statements: readonly Node[], frame: Frame): void {
    for (const node of statements) {
      if (node.type === 'FunctionDeclaration' && node.id) this.bind(node.id, closureOf(node, frame), frame);
    }
  }

  #statement(node: Node, place: Place, next: () => void): void {
    this.spend();
    switch (node.type) {
      case 'EmptyStatement':
      case 'FunctionDeclaration':
      case 'TSTypeAliasDeclaration':
      case 'TSInterfaceDeclaration':
        next();
        return;
      case 'BlockStatement':
        this.#list(node.body, 0, { ...place, frame: new Frame(place.frame) }, next);
        return;
      case 'VariableDeclaration':
        this.#declare(node, place.frame);
        next();
        return;
      case 'ExpressionStatement':
        this.#expression(node.expression, place.frame);
        next();
        return;
      case 'ReturnStatement':
        this.#readReturn(node.argument, place);
        return;
      case 'ThrowStatement':
        this.#throw(this.term(this.read(node.argument, place.frame)));
        return;
      case 'IfStatement':
        this.#if(node, place, next);
        return;
      case 'ForOfStatement':
        this.#forOf(node, place, next);
        return;
      case 'ForStatement':
        this.#for(node, place, next);
        return;
      case 'WhileStatement':
        this.#while(node.test, node.body, undefined, place, next);
        return;
      case 'BreakStatement':
      case 'ContinueStatement':
        if (node.label || !place.loop) throw new Unreadable('a label');
        if (node.type === 'BreakStatement') place.loop.onBreak();
        else place.loop.onContinue();
        return;
      case 'TryStatement':
        this.#try(node, place, next);
        return;
      default:
        throw new Unreadable(node.type);
    }
  }

  #expression(node: Node, frame: Frame): void {
    const value = this.read(node, frame);
    if (value.kind === 'promise' || value.kind === 'mapped')
      throw new Unreadable('a promise that nobody awaits');
    this.noteValue(value);
  }

  #declare(node: Extract<Node, { type: 'VariableDeclaration' }>, frame: Frame): void {
    for (const { id, init } of node.declarations) {
      const value = init ? this.read(init, frame) : this.constant(undefined);
      this.noteValue(value);
      if (node.kind === 'const') this.#nameOrigin(id, value);
      this.bind(id, value, node.kind === 'var' ? frame.ofFunction : frame);
    }
  }

  /** Remembers that a literal has a name: `min` in `const min = 15`. */
  #nameOrigin(id: Node, value: Value): void {
    const origin = this.constantOf(value)?.origin;
    if (id.type === 'Identifier' && origin !== undefined && !this.names.has(origin))
      this.names.set(origin, id.name);
  }

  bind(pattern: Node, value: Value, frame: Frame): void {
    this.spend();
    switch (pattern.type) {
      case 'Identifier': {
        const binding = this.scopes.bindingOf.get(pattern);
        if (!binding) throw new Unreadable('a name without a scope');
        const cell = this.next('cell');
        frame.declare(binding, cell);
        this.state.cells.set(cell, value);
        return;
      }
      case 'AssignmentPattern':
        this.bind(pattern.left, this.#withDefault(value, pattern.right, frame), frame);
        return;
      case 'ObjectPattern':
        this.#bindObject(pattern, value, frame);
        return;
      case 'ArrayPattern':
        this.#bindArray(pattern, value, frame);
        return;
      default:
        throw new Unreadable(pattern.type);
    }
  }

  #withDefault(value: Value, fallback: Node, frame: Frame): Value {
    const constant = this.constantOf(value);
    if (value.kind !== 'term' || (constant && constant.value !== undefined)) return value;
    if (constant) return this.read(fallback, frame);
    const test = this.terms.operation('binary ===', [value.term, this.terms.constant(undefined)]);
    const other = this.purely(() => this.read(fallback, frame));
    return this.operation('conditional', [test, other, value.term]);
  }

  #bindObject(pattern: Extract<Node, { type: 'ObjectPattern' }>, value: Value, frame: Frame): void {
    const taken: string[] = [];
    // `const {} = x` reads nothing, but throws if x is null.
    if (pattern.properties.length === 0) throw new Unreadable('an empty pattern');
    for (const property of pattern.properties) {
      if (property.type === 'RestElement') {
        const built = value.kind === 'built' ? this.state.built(value.at) : undefined;
        if (built?.kind !== 'object') throw new Unreadable('the rest of what only the run knows');
        const rest = [...built.entries].filter(([key]) => !taken.includes(key));
        this.bind(property.argument, this.build({ kind: 'object', entries: new Map(rest) }), frame);
        continue;
      }
      const key = this.key(property.key, property.computed, frame);
      if (key === undefined) throw new Unreadable('a computed key');
      taken.push(key);
      const member = this.member(value, key);
      this.noteValue(member);
      this.bind(property.value, member, frame);
    }
  }

  #bindArray(pattern: Extract<Node, { type: 'ArrayPattern' }>, value: Value, frame: Frame): void {
    const items = this.itemsOf(value);
    pattern.elements.forEach((element: Node | null, at: number) => {
      if (!element) return;
      if (element.type === 'RestElement') {
        if (!items) throw new Unreadable('the rest of what only the run knows');
        this.bind(element.argument, this.buildArray(items.slice(at)), frame);
        return;
      }
      const item = items
        ? (items[at] ?? this.constant(undefined))
        : this.operation('item', [this.term(value), this.terms.constant(at)]);
      this.noteValue(item);
      this.bind(element, item, frame);
    });
  }

  #readReturn(argument: Node | null, { frame, activation, isGuarded }: Place): void {
    const value = argument ? this.read(argument, frame, activation.isAwaited) : this.constant(undefined);
    if (isGuarded && value.kind === 'promise') throw new Unreadable('a promise returned inside try');
    this.#return(value, activation);
  }

  #return(value: Value, { inlined }: Activation): void {
    if (inlined) {
      inlined.result = value;
      return;
    }
    const term = this.term(this.await(value));
    if (this.state.unawaited.size > 0) throw new Unreadable('a call that nobody awaits');
    this.flush([term]);
    this.emit({ kind: 'return', term });
  }

  #throw(term: Term): void {
    if (this.state.unawaited.size > 0) throw new Unreadable('a call that nobody awaits');
    this.flush([term]);
    this.emit({ kind: 'throw', term });
    throw new Unreachable();
  }

  #if(node: Extract<Node, { type: 'IfStatement' }>, place: Place, next: () => void): void {
    const test = this.read(node.test, place.frame);
    const known = this.truth(test);
    const inner = { ...place, frame: new Frame(place.frame) };
    if (known !== undefined) {
      const taken = known ? node.consequent : node.alternate;
      if (taken) this.#statement(taken, inner, next);
      else next();
      return;
    }
    const read = (side: Node | null, then: () => void) =>
      side ? this.#statement(side, inner, then) : then();
    const mayLeave = [node.consequent, node.alternate].some((side) => side && leaves(side));
    const then = mayLeave ? next : () => {};
    this.#branch(
      this.term(test),
      place.activation,
      () => read(node.consequent, then),
      () => read(node.alternate, then),
    );
    if (!mayLeave) next();
  }

  choose(test: Term, yes: () => Value, no: () => Value): Value {
    const inlined: { result?: Value } = {};
    const take = (read: () => Value) => () => {
      inlined.result = read();
    };
    this.#branch(test, { inlined, isAwaited: true }, take(yes), take(no));
    if (!inlined.result) throw new Unreachable();
    return inlined.result;
  }

  /** Reads both sides of a condition. What differs after them becomes a choice; a side that ends needs none. */
  #branch(condition: Term, activation: Activation, first: () => void, second: () => void): void {
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

  /** `if (…) { … return }`: what comes after is the other side. */
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
      const built = yes.state.built(at);
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

  /** A promise that one side returns is awaited there, since both sides have one value. */
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

  #forOf(node: Extract<Node, { type: 'ForOfStatement' }>, place: Place, next: () => void): void {
    if (node.await) throw new Unreadable('for await');
    const list = this.read(node.right, place.frame);
    const round = (value: Value, onBreak: () => void, onContinue: () => void) => {
      this.spend();
      const frame = new Frame(place.frame);
      this.#bindLoop(node.left, value, frame);
      this.#statement(node.body, { ...place, frame, loop: { onBreak, onContinue } }, onContinue);
    };
    const items = this.itemsOf(list);
    if (items) {
      const from = (at: number): void => {
        const item = items[at];
        if (item) round(item, next, () => from(at + 1));
        else next();
      };
      from(0);
      return;
    }
    if (leaves(node.body)) throw new Unreadable('a loop that may end early');
    const read = (item: Value) => {
      round(
        item,
        () => {},
        () => {},
      );
      return undefined;
    };
    this.each(this.term(list), read, false);
    next();
  }

  #bindLoop(left: Node, value: Value, frame: Frame): void {
    if (left.type !== 'VariableDeclaration') throw new Unreadable('a loop over a name of elsewhere');
    const [declarator] = left.declarations;
    if (declarator) this.bind(declarator.id, value, frame);
  }

  each(list: Term, round: (item: Value) => Value | undefined, isParallel: boolean): Value {
    this.flush([list]);
    const item = this.next('variable');
    let result: Value | undefined;
    const side = this.aside(() => {
      result = round({ kind: 'term', term: this.terms.variable(item) });
    });
    if (side.isEnded) throw new Unreadable('a loop whose first round is its last');
    const values: { value: Value; set: (list: Value) => void }[] = this.#pushes(side);
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

  /** Finds the arrays that got one more item in the round. Nothing else may have changed. */
  #pushes(side: Side): { value: Value; set: (list: Value) => void }[] {
    const found: { value: Value; set: (list: Value) => void }[] = [];
    for (const [at, before] of this.state.heap) {
      const after = side.state.heap.get(at) as Built;
      if (sameBuilt(before, after)) continue;
      if (before.kind !== 'array' || after.kind !== 'array')
        throw new Unreadable('a value that changes in a loop');
      const added = after.items.at(-1);
      const shorter: Built = { kind: 'array', items: after.items.slice(0, -1) };
      if (!added || added.isSpread || !sameBuilt(before, shorter))
        throw new Unreadable('a list that changes in a loop');
      const set = (value: Value) =>
        this.state.heap.set(at, { kind: 'array', items: [...before.items, { value, isSpread: true }] });
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

  #for(node: Extract<Node, { type: 'ForStatement' }>, place: Place, next: () => void): void {
    const frame = new Frame(place.frame);
    if (node.init?.type === 'VariableDeclaration') this.#declare(node.init, frame);
    else if (node.init) this.#expression(node.init, frame);
    this.#while(node.test, node.body, node.update, { ...place, frame }, next);
  }

  /** Unrolls a loop whose condition reading tells each time. */
  #while(
    test: Node | null,
    body: Node,
    update: Node | null | undefined,
    place: Place,
    next: () => void,
  ): void {
    this.spend();
    const known = test ? this.truth(this.read(test, place.frame)) : true;
    if (known === undefined) throw new Unreadable('a loop whose end only the run knows');
    if (!known) {
      next();
      return;
    }
    const again = () => {
      if (update) this.#expression(update, place.frame);
      this.#while(test, body, update, place, next);
    };
    const loop = { onBreak: next, onContinue: again };
    // Closures over the counter would see it change; each round of `let` has its own.
    if (holdsFunction(body)) throw new Unreadable('a function inside a counting loop');
    this.#statement(body, { ...place, frame: new Frame(place.frame), loop }, again);
  }

  #try(node: Extract<Node, { type: 'TryStatement' }>, place: Place, next: () => void): void {
    const { block, handler, finalizer } = node;
    if (finalizer || !handler) throw new Unreadable('finally');
    if (this.state.unawaited.size > 0) throw new Unreadable('a call under way across try');
    if (rethrows(handler)) {
      this.#statement(block, place, next);
      return;
    }
    if (place.activation.inlined && [block, handler.body].some(leaves))
      throw new Unreadable('a return inside try');
    if (place.loop && [block, handler.body].some(leavesLoop)) throw new Unreadable('a break inside try');
    this.flush([]);
    let isReached = false;
    const reach = () => {
      isReached = true;
    };
    const body = this.aside(() => {
      this.#statement(block, { ...place, frame: new Frame(place.frame), isGuarded: true }, reach);
      this.flush([]);
    });
    this.assertUnchanged(body.state);
    const error = this.next('variable');
    const caught = this.aside(() => {
      const frame = new Frame(place.frame);
      if (handler.param) this.bind(handler.param, { kind: 'term', term: this.terms.variable(error) }, frame);
      this.#statement(handler.body, { ...place, frame }, reach);
      this.flush([]);
    });
    this.assertUnchanged(caught.state);
    this.emit({ kind: 'attempt', body: body.steps, error, handler: caught.steps, choices: [] });
    if (!isReached) throw new Unreachable();
    next();
  }
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

/** True if a statement may do something else than go on with the next: return, throw, break or continue. */
function leaves(node: Node): boolean {
  return holds(node, /^(?:Return|Throw|Break|Continue)Statement$/);
}

function leavesLoop(node: Node): boolean {
  return holds(node, /^(?:Break|Continue)Statement$/);
}

function holds(node: Node, types: RegExp): boolean {
  if (types.test(node.type)) return true;
  if (/Function|Class/.test(node.type)) return false;
  return valueChildren(node).some((child) => holds(child, types));
}

function holdsFunction(node: Node): boolean {
  return /Function|Class/.test(node.type) || valueChildren(node).some(holdsFunction);
}

/** True for `catch (error) { throw error }`, which changes nothing. */
function rethrows({ param, body }: Extract<Node, { type: 'CatchClause' }>): boolean {
  const [only, ...others] = body.body;
  return (
    others.length === 0 &&
    only?.type === 'ThrowStatement' &&
    param?.type === 'Identifier' &&
    unwrap(only.argument).type === 'Identifier' &&
    (unwrap(only.argument) as { name: string }).name === param.name
  );
}
