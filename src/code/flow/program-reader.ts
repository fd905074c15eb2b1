import { type Node, type Program, unwrap, valueChildren } from '../syntax/ast.ts';
import { isThunk } from '../syntax/strip-types.ts';
import { type Activation, BranchReader } from './branch-reader.ts';
import { closureOf } from './expression-reader.ts';
import { Unreachable } from './reader-core.ts';
import { Frame, type Value } from './state.ts';
import type { Step } from './steps.ts';
import type { Term, TermTable } from './terms.ts';
import { Unreadable } from './unreadable.ts';

/** A program as read: its steps, and the names that its constants have in the source, by origin. */
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

/** Where `break` and `continue` lead. */
interface Loop {
  readonly onBreak: () => void;
  readonly onContinue: () => void;
}

interface Place {
  readonly frame: Frame;
  readonly activation: Activation;
  readonly loop: Loop | undefined;
  /** True inside `try`: a promise returned without `await` rejects outside of it. */
  readonly isGuarded?: boolean;
}

class ProgramReader extends BranchReader {
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

  /** Reads the statements from index `at` on, then continues with `next`. */
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
    this.branch(
      this.term(test),
      place.activation,
      () => read(node.consequent, then),
      () => read(node.alternate, then),
    );
    if (!mayLeave) next();
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

  #for(node: Extract<Node, { type: 'ForStatement' }>, place: Place, next: () => void): void {
    const frame = new Frame(place.frame);
    if (node.init?.type === 'VariableDeclaration') this.#declare(node.init, frame);
    else if (node.init) this.#expression(node.init, frame);
    this.#while(node.test, node.body, node.update, { ...place, frame }, next);
  }

  /** Unrolls a loop whose condition is known statically in every round. */
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
    // In JavaScript, a closure captures its own round's `let` counter; here all rounds share one variable.
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
