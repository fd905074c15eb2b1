import { type Node, unwrap } from '../syntax/ast.ts';
import { AssignmentReader } from './assignment-reader.ts';
import {
  FOLDED_METHODS,
  MAKES_ARRAY,
  MUTATING_METHODS,
  NONDETERMINISTIC_FUNCTIONS,
  PURE_CONSTRUCTORS,
  PURE_FUNCTIONS,
  PURE_METHODS,
} from './builtins.ts';
import { bounded } from './constant-folding.ts';
import { Frame, type Item, type PromiseValue, type Value } from './state.ts';
import type { Constant, Primitive, Term } from './terms.ts';
import { Unreadable } from './unreadable.ts';

type CallNode = Extract<Node, { type: 'CallExpression' }>;
type NewNode = Extract<Node, { type: 'NewExpression' }>;
type Closure = Value & { readonly kind: 'closure' };

const MAX_INLINED = 30;

/** Reads calls: of tools, of the program's own functions, and of the language's. */
export abstract class CallReader extends AssignmentReader {
  #depth = 0;
  /** Calls of methods that the program defines itself. */
  readonly #ownMethods = new WeakSet<Node>();

  /** Runs the statements of a function's body, and returns what it returns. */
  abstract runBody(statements: readonly Node[], frame: Frame, isAwaited: boolean): Value;
  /** Binds the names of a pattern to their values. */
  abstract bind(pattern: Node, value: Value, frame: Frame): void;
  /** Reads the same steps for every item of a list that only the run knows. The value is the list of the rounds' values. */
  abstract each(list: Term, round: (item: Value) => Value | undefined, isParallel: boolean): Value;

  readCall(node: CallNode, frame: Frame, isAwaited: boolean): Value {
    const callee = unwrap(node.callee);
    if (callee.type !== 'MemberExpression') {
      if (node.optional) throw new Unreadable('an optional call');
      return this.#apply(this.read(callee, frame), this.#readArguments(node, frame), isAwaited);
    }
    const object = this.read(callee.object, frame);
    const key = this.key(callee.property, callee.computed, frame);
    if (key === undefined || node.optional) throw new Unreadable('a method that only the run knows');
    if (object.kind === 'mcp' || object.kind === 'builtin')
      return this.#apply(this.member(object, key), this.#readArguments(node, frame), isAwaited);
    return this.#callMethod(node, object, key, frame, callee.optional);
  }

  readNew(node: NewNode, frame: Frame): Value {
    const callee = this.read(node.callee, frame);
    const args = this.#readArguments(node, frame).map((arg) => this.term(arg));
    if (callee.kind !== 'builtin' || !PURE_CONSTRUCTORS.has(callee.path)) throw new Unreadable('new');
    if (callee.path === 'Date' && args.length === 0) return this.#sample('new Date');
    return this.operation(`new ${callee.path}`, args);
  }

  #readArguments(node: CallNode | NewNode, frame: Frame): Value[] {
    return node.arguments.flatMap((argument) => {
      if (argument.type !== 'SpreadElement') return [this.read(argument, frame)];
      const items = this.itemsOf(this.read(argument.argument, frame));
      if (!items) throw new Unreadable('arguments that only the run knows');
      return items;
    });
  }

  #apply(callee: Value, args: readonly Value[], isAwaited: boolean): Value {
    if (callee.kind === 'closure') return this.callClosure(callee, args, isAwaited);
    if (callee.kind === 'mcp' && isCallByName(callee.path, args)) throw new Unreadable('a call by name');
    if (callee.kind === 'mcp') return this.call(callee.path.join(':'), args);
    if (callee.kind === 'builtin') return this.#callBuiltin(callee.path, args);
    throw new Unreadable('a call of what is no function');
  }

  /** Reads the body of a function of the program in place of its call. */
  callClosure({ node, frame }: Closure, args: readonly Value[], isAwaited: boolean): Value {
    if (this.#depth >= MAX_INLINED) throw new Unreadable('functions that call each other too deeply');
    for (const arg of args) this.noteValue(arg);
    const own = new Frame(frame, true);
    this.#depth += 1;
    try {
      const run = () => this.#runClosure(node, args, own, isAwaited);
      if (!node.async) return run();
      if (isAwaited || this.deferral) return promiseOf(this.await(run()));
      return this.#defer(run);
    } finally {
      this.#depth -= 1;
    }
  }

  #runClosure(node: Closure['node'], args: readonly Value[], frame: Frame, isAwaited: boolean): Value {
    node.params.forEach((param: Node, at: number) => {
      if (param.type === 'RestElement') this.bind(param.argument, this.buildArray(args.slice(at)), frame);
      else if (!isThis(param)) this.bind(param, args[at] ?? this.constant(undefined), frame);
    });
    if (!node.body) throw new Unreadable('a function without a body');
    if (node.body.type === 'BlockStatement') return this.runBody(node.body.body, frame, isAwaited);
    return this.read(node.body, frame, isAwaited);
  }

  /** Reads a call of an async function that is not awaited: its caller continues at the function's first `await`. */
  #defer(run: () => Value): Value {
    const deferral = { isSuspended: false, calls: [] as number[], computes: [] as Term[] };
    this.deferral = deferral;
    try {
      const value = this.await(run());
      return { kind: 'promise', value, calls: deferral.calls, computes: deferral.computes };
    } finally {
      this.deferral = undefined;
    }
  }

  /** Turns a callback, such as that of `filter`, into a term. It may only compute. */
  lambda(closure: Value): Term {
    if (closure.kind === 'builtin') return this.terms.global(closure.path);
    if (closure.kind !== 'closure' || closure.node.async) throw new Unreadable('a function as data');
    const items = closure.node.params.map(() => this.terms.variable(this.next('variable')));
    const body = this.purely(() =>
      this.callClosure(
        closure,
        items.map((term) => ({ kind: 'term', term })),
        false,
      ),
    );
    return this.terms.operation(`lambda ${items.length}`, [...items, body]);
  }

  /** The items of an array that the program built, or undefined if only the run knows them. */
  itemsOf(value: Value): Value[] | undefined {
    const built = value.kind === 'built' ? this.state.built(value.at) : undefined;
    if (built?.kind !== 'array' || built.items.some(({ isSpread }) => isSpread)) return undefined;
    return built.items.map((item) => item.value);
  }

  #callMethod(node: CallNode, object: Value, key: string, frame: Frame, isOptional: boolean): Value {
    if (object.kind === 'promise' && key === 'then')
      return this.#then(object, this.#readArguments(node, frame));
    const held = object.kind === 'built' ? this.state.builtForChange(object.at) : undefined;
    const method = held?.kind === 'object' ? held.entries.get(key) : undefined;
    if (method?.kind === 'closure') {
      this.#ownMethods.add(node);
      return this.callClosure(method, this.#readArguments(node, frame), false);
    }
    const args = this.#readArguments(node, frame);
    const known = object.kind === 'built' ? this.#callOnArray(object, key, args) : undefined;
    if (known) return known;
    const folded = this.#foldMethod(object, key, args);
    if (folded) return folded;
    return this.#callOnTerm(object, key, args, this.#isFresh(node), isOptional);
  }

  #callOnTerm(
    object: Value,
    key: string,
    args: readonly Value[],
    isChained: boolean,
    isOptional: boolean,
  ): Value {
    const [first] = args;
    const receiver = this.term(object);
    const isAllowed =
      PURE_METHODS.has(key) ||
      (MUTATING_METHODS.has(key) &&
        isChained &&
        receiver.kind === 'operation' &&
        MAKES_ARRAY.test(receiver.name));
    if (!isAllowed) throw new Unreadable(`the method ${key}`);
    if (key === 'map' && first?.kind === 'closure' && first.node.async && first.node.params.length < 2)
      return { kind: 'mapped', list: receiver, closure: first, calls: this.callCount };
    const operands = args.map((arg) =>
      arg.kind === 'closure' || arg.kind === 'builtin' ? this.lambda(arg) : this.term(arg),
    );
    return this.operation(`${isOptional ? 'optional call' : 'call'} .${key}`, [receiver, ...operands]);
  }

  /** Methods of an array that the program built. */
  #callOnArray(object: Value & { kind: 'built' }, key: string, args: readonly Value[]): Value | undefined {
    const built = this.state.builtForChange(object.at);
    if (built.kind !== 'array') return undefined;
    if (key === 'push') return this.#push(object.at, built.items, args);
    const values = this.itemsOf(object);
    const [callback] = args;
    if (!values) return undefined;
    if ((key === 'map' || key === 'forEach') && callback?.kind === 'closure') {
      if (key === 'forEach' && callback.node.async) throw new Unreadable('an async function in forEach');
      const results = values.map((value, index) =>
        this.callClosure(callback, [value, this.constant(index), object], false),
      );
      return key === 'map' ? this.buildArray(results) : this.constant(undefined);
    }
    if (key === 'entries')
      return this.buildArray(values.map((value, index) => this.buildArray([this.constant(index), value])));
    if (key === 'values') return this.buildArray(values);
    if (key === 'keys') return this.buildArray(values.map((_, index) => this.constant(index)));
    if (key === 'concat') {
      const more = args.map((arg) => this.itemsOf(arg));
      return more.every((one) => one !== undefined)
        ? this.buildArray([...values, ...more.flat()])
        : undefined;
    }
    if (key === 'join') return this.#join(values, callback);
    return undefined;
  }

  #push(at: number, items: readonly Item[], args: readonly Value[]): Value {
    this.assertInTurn();
    for (const arg of args) this.noteValue(arg);
    const added = args.map((value) => ({ value, isSpread: false }));
    this.state.heap.set(at, { kind: 'array', items: [...items, ...added] });
    const isKnown = this.state.readers.length === 0 && !items.some(({ isSpread }) => isSpread);
    return isKnown ? this.constant(items.length + args.length) : { kind: 'length' };
  }

  #join(values: readonly Value[], separator: Value | undefined): Value | undefined {
    const constants = values.map((value) => this.constantOf(value));
    const between = separator ? this.constantOf(separator) : undefined;
    if (!constants.every((one): one is Constant => one !== undefined) || (separator && !between))
      return undefined;
    const text = constants
      .map(({ value }) => value)
      .join(between === undefined ? ',' : String(between.value));
    const whole = bounded(text);
    return whole && this.folded(whole.value, between ? [...constants, between] : constants);
  }

  #foldMethod(object: Value, key: string, args: readonly Value[]): Value | undefined {
    const text = this.constantOf(object);
    const constants = args.map((arg) => this.constantOf(arg));
    if (typeof text?.value !== 'string' || !FOLDED_METHODS.has(key)) return undefined;
    if (!constants.every((one): one is Constant => one !== undefined)) return undefined;
    const values = constants.map(({ value }) => value);
    if (key === 'repeat' && !(Number(values[0]) >= 0 && Number(values[0]) * text.value.length < 1000))
      return undefined;
    if (/^pad/.test(key) && !(Number(values[0]) < 1000)) return undefined;
    const method = (text.value as unknown as Record<string, (...args: Primitive[]) => Primitive | string[]>)[
      key
    ];
    const result = method?.apply(text.value, values);
    const parts = [text, ...constants];
    if (Array.isArray(result))
      return this.buildArray(result.map((part, at) => this.folded(part, [...parts, this.#place(at)])));
    return this.folded(result, parts);
  }

  /** Gives each part of a split text an origin of its own. */
  #place(at: number): Constant {
    return this.terms.constant(at, `part ${at}`);
  }

  #then(promise: PromiseValue, [callback]: readonly Value[]): Value {
    if (callback?.kind !== 'closure' || callback.node.async) throw new Unreadable('then');
    const value = promise.value.kind === 'promise' ? undefined : promise.value;
    if (!value) throw new Unreadable('a promise of a promise');
    const term = this.purely(() => this.callClosure(callback, [value], false));
    return {
      kind: 'promise',
      value: { kind: 'term', term },
      calls: promise.calls,
      computes: [...promise.computes, term],
    };
  }

  #callBuiltin(path: string, args: readonly Value[]): Value {
    const [first] = args;
    if (path === 'Promise.all' && first) return this.#all(first);
    if (path === 'Promise.resolve') return promiseOf(first ?? this.constant(undefined));
    if (path.startsWith('console.')) return this.#log(path.slice('console.'.length), args);
    if (NONDETERMINISTIC_FUNCTIONS.has(path)) return this.#sample(path);
    if (path === 'Object.assign') return this.#assign(args);
    const known = first && this.#callOnBuilt(path, first);
    if (known) return known;
    if (!PURE_FUNCTIONS.has(path)) throw new Unreadable(`the function ${path}`);
    const constant = first && args.length === 1 ? this.constantOf(first) : undefined;
    if (constant && path === 'String') return this.folded(String(constant.value), [constant]);
    if (constant && path === 'Number') return this.folded(Number(constant.value), [constant]);
    const operands = args.map((arg) => (arg.kind === 'closure' ? this.lambda(arg) : this.term(arg)));
    return this.operation(`call ${path}`, operands);
  }

  /** Evaluates `Object.entries` and the like on an object or array that the program built. */
  #callOnBuilt(path: string, value: Value): Value | undefined {
    const built = value.kind === 'built' ? this.state.built(value.at) : undefined;
    if (path === 'Array.isArray' && built) return this.constant(built.kind === 'array');
    if (path === 'Array.from') {
      const items = this.itemsOf(value);
      return items && this.buildArray(items);
    }
    if (built?.kind !== 'object') return undefined;
    // JavaScript lists integer keys first, wherever the literal has them.
    if ([...built.entries.keys()].some((key) => /^\d+$/.test(key))) return undefined;
    const entries = [...built.entries];
    if (path === 'Object.keys') return this.buildArray(entries.map(([key]) => this.constant(key)));
    if (path === 'Object.values') return this.buildArray(entries.map(([, one]) => one));
    if (path === 'Object.entries')
      return this.buildArray(entries.map(([key, one]) => this.buildArray([this.constant(key), one])));
    return undefined;
  }

  #assign([target, ...sources]: readonly Value[]): Value {
    if (target?.kind !== 'built') throw new Unreadable('Object.assign');
    this.assertInTurn();
    for (const source of sources) {
      const into = this.state.built(target.at);
      const from = source.kind === 'built' ? this.state.built(source.at) : undefined;
      if (into.kind !== 'object' || from?.kind !== 'object') throw new Unreadable('Object.assign');
      this.state.heap.set(target.at, {
        kind: 'object',
        entries: new Map([...into.entries, ...from.entries]),
      });
    }
    return target;
  }

  /** `Promise.all`: what all the promises yield, in a list. */
  #all(list: Value): Value {
    if (list.kind === 'mapped') {
      if (list.calls !== this.callCount) throw new Unreadable('promises that are awaited after other calls');
      const round = (item: Value) => this.await(this.callClosure(list.closure, [item], true));
      return promiseOf(this.each(list.list, round, true));
    }
    const items = this.itemsOf(list);
    if (!items) throw new Unreadable('promises that only the run knows');
    const promises = items.filter((item) => item.kind === 'promise');
    const value = this.buildArray(items.map((item) => (item.kind === 'promise' ? item.value : item)));
    return {
      kind: 'promise',
      value,
      calls: promises.flatMap(({ calls }) => calls),
      computes: promises.flatMap(({ computes }) => computes),
    };
  }

  /**
   * True for a method called on an array literal, or on the result of a built-in method, which nothing else holds. A function
   * of the program may return an array that a variable holds, too.
   */
  #isFresh(node: CallNode): boolean {
    const callee = unwrap(node.callee);
    const object = callee.type === 'MemberExpression' ? unwrap(callee.object) : undefined;
    if (object?.type !== 'CallExpression') return object?.type === 'ArrayExpression';
    return unwrap(object.callee).type === 'MemberExpression' && !this.#ownMethods.has(object);
  }

  #log(method: string, args: readonly Value[]): Value {
    const terms = args.map((arg) => this.term(arg));
    for (const term of terms) this.note(term);
    this.emit({ kind: 'log', method, terms });
    return this.constant(undefined);
  }

  #sample(path: string): Value {
    const variable = this.next('variable');
    this.emit({
      kind: 'sample',
      variable,
      term: this.terms.operation(path.startsWith('new') ? path : `call ${path}`, []),
    });
    return { kind: 'term', term: this.terms.variable(variable) };
  }
}

function promiseOf(value: Value): Value {
  return { kind: 'promise', value, calls: [], computes: [] };
}

function isThis(param: Node): boolean {
  return param.type === 'Identifier' && param.name === 'this';
}

/** True for `mcp.call(name, …)`; `mcp.call({ … })` calls a capability of that name. */
function isCallByName([first, second]: readonly string[], args: readonly Value[]): boolean {
  return first === 'call' && second === undefined && args[0] !== undefined && args[0].kind !== 'built';
}
