import { type Node, stringValue } from '../syntax/ast.ts';
import { CONSTANTS, NAMESPACES, PURE_CONSTRUCTORS, PURE_FUNCTIONS } from './builtins.ts';
import { foldBinary, foldUnary } from './fold.ts';
import { ReaderCore } from './reader-core.ts';
import type { Built, Frame, FunctionNode, Item, Value } from './state.ts';
import type { Primitive, Term } from './terms.ts';
import { Unreadable } from './unreadable.ts';

type NodeOf<Type extends Node['type']> = Extract<Node, { type: Type }>;

/** More parts come from a loop that puts a text before itself, and double each time. */
const MAX_PARTS = 200;

/** Reads expressions. What calls do is left to the class below. */
export abstract class ExpressionReader extends ReaderCore {
  /** `isAwaited` is true if nothing else happens before the call is awaited. */
  abstract readCall(node: NodeOf<'CallExpression'>, frame: Frame, isAwaited: boolean): Value;
  abstract readNew(node: NodeOf<'NewExpression'>, frame: Frame): Value;
  /** Reads two sides of which the run takes one; its value is that of the side. */
  abstract choose(test: Term, yes: () => Value, no: () => Value): Value;

  read(node: Node, frame: Frame, isAwaited = false): Value {
    this.spend();
    switch (node.type) {
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'TSInstantiationExpression':
      case 'ParenthesizedExpression':
        return this.read(node.expression, frame, isAwaited);
      case 'ChainExpression':
        return this.#readChain(node, frame, isAwaited);
      case 'Literal':
        return this.#readLiteral(node);
      case 'TemplateLiteral':
        return this.#readTemplate(node, frame);
      case 'Identifier':
        return this.readName(node, frame);
      case 'ObjectExpression':
        return this.#readObject(node, frame);
      case 'ArrayExpression':
        return this.build({
          kind: 'array',
          items: node.elements.flatMap((one) => this.#readItems(one, frame)),
        });
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
        return closureOf(node, frame);
      case 'MemberExpression':
        return this.#readMember(node, frame);
      case 'CallExpression':
        return this.readCall(node, frame, isAwaited);
      case 'NewExpression':
        return this.readNew(node, frame);
      case 'AwaitExpression':
        return this.await(this.read(node.argument, frame, true));
      case 'UnaryExpression':
        return this.#readUnary(node, frame);
      case 'BinaryExpression':
        return this.binary(node.operator, this.read(node.left, frame), this.read(node.right, frame));
      case 'LogicalExpression':
        return this.logical(node.operator, this.read(node.left, frame), () => this.read(node.right, frame));
      case 'ConditionalExpression':
        return this.#readConditional(node, frame, isAwaited);
      case 'AssignmentExpression':
        return this.#readAssignment(node, frame);
      case 'UpdateExpression':
        return this.#readUpdate(node, frame);
      case 'SequenceExpression':
        return this.#readSequence(node.expressions, frame);
      default:
        throw new Unreadable(node.type);
    }
  }

  readName(node: NodeOf<'Identifier'>, frame: Frame): Value {
    const binding = this.scopes.bindingOf.get(node);
    if (!binding) return this.#readGlobal(node.name);
    const cell = frame.cellOf(binding);
    const value = cell === undefined ? undefined : this.state.cells.get(cell);
    if (!value) throw new Unreadable('a name that is used before it is declared');
    return value;
  }

  #readGlobal(name: string): Value {
    if (name === 'mcp') return { kind: 'mcp', path: [] };
    if (name === 'undefined') return this.constant(undefined);
    if (name === 'args' || CONSTANTS.has(name)) return { kind: 'term', term: this.terms.global(name) };
    if (NAMESPACES.has(name) || PURE_FUNCTIONS.has(name) || PURE_CONSTRUCTORS.has(name))
      return { kind: 'builtin', path: name };
    throw new Unreadable(`the global ${name}`);
  }

  #readLiteral(node: NodeOf<'Literal'>): Value {
    if ('regex' in node) return this.operation(`regex ${node.raw}`, []);
    if ('bigint' in node) throw new Unreadable('a big integer');
    return this.literal(node, node.value as Primitive);
  }

  #readTemplate(node: NodeOf<'TemplateLiteral'>, frame: Frame): Value {
    const text = stringValue(node);
    if (text !== undefined) return this.literal(node, text);
    const parts = node.quasis.flatMap((quasi, at) => {
      const { cooked } = quasi.value;
      const literal = cooked ? [this.term(this.literal(quasi, cooked))] : [];
      const expression = node.expressions[at];
      return expression ? [...literal, this.term(this.read(expression, frame))] : literal;
    });
    return this.template(parts);
  }

  /** Puts texts together. Constants side by side become one, unless one has a name of its own. */
  template(parts: readonly Term[]): Value {
    const flat = parts.flatMap((part) =>
      part.kind === 'operation' && part.name === 'template' ? part.operands : [part],
    );
    if (flat.length > MAX_PARTS) throw new Unreadable('a text of too many parts');
    if (flat.every((part) => this.isPlain(part))) return { kind: 'term', term: this.foldText(flat) };
    const merged: Term[] = [];
    for (const part of flat) {
      const before = merged.at(-1);
      if (before && this.isPlain(before) && this.isPlain(part)) {
        const both = this.folded(`${before.value}${part.value}`, [before, part]);
        merged[merged.length - 1] = this.term(both);
      } else merged.push(part);
    }
    return this.operation('template', merged);
  }

  #readObject(node: NodeOf<'ObjectExpression'>, frame: Frame): Value {
    const entries = new Map<string, Value>();
    const before: { spread: Term; entries: Map<string, Value> }[] = [];
    for (const property of node.properties) {
      if (property.type === 'SpreadElement') {
        const spread = this.read(property.argument, frame);
        const known = spread.kind === 'built' ? this.state.built(spread.at) : undefined;
        if (known?.kind === 'object') for (const [key, value] of known.entries) put(entries, key, value);
        else before.push({ spread: this.term(spread), entries: new Map(entries) });
        if (known?.kind !== 'object') entries.clear();
        continue;
      }
      if (property.kind !== 'init' || property.type !== 'Property') throw new Unreadable('an accessor');
      const key = this.key(property.key, property.computed, frame);
      if (key === undefined || key === '__proto__') throw new Unreadable('a computed key');
      const value = this.read(property.value, frame);
      this.noteValue(value);
      put(entries, key, value);
    }
    if (before.length === 0) return this.build({ kind: 'object', entries });
    const keys: (string | null)[] = [];
    const operands: Term[] = [];
    for (const { spread, entries: earlier } of [...before, { spread: undefined, entries }]) {
      for (const [key, value] of earlier) {
        keys.push(key);
        operands.push(this.term(value));
      }
      if (spread) {
        keys.push(null);
        operands.push(spread);
      }
    }
    return this.operation('object', operands, keys);
  }

  #readItems(node: Node | null, frame: Frame): Item[] {
    if (!node) throw new Unreadable('a hole in a list');
    if (node.type !== 'SpreadElement') {
      const value = this.read(node, frame);
      this.noteValue(value);
      return [{ value, isSpread: false }];
    }
    const value = this.read(node.argument, frame);
    const built = value.kind === 'built' ? this.state.built(value.at) : undefined;
    if (built?.kind === 'array') return [...built.items];
    const term = this.term(value);
    this.note(this.terms.operation('spread', [term]));
    return [{ value: { kind: 'term', term }, isSpread: true }];
  }

  /** The key that a property or member is read by; undefined if only the run knows it. */
  key(node: Node, isComputed: boolean, frame: Frame): string | undefined {
    if (!isComputed && node.type === 'Identifier') return node.name;
    if (node.type === 'PrivateIdentifier') throw new Unreadable('a private name');
    const key = this.constantOf(this.read(node, frame));
    if (typeof key?.value === 'string' || typeof key?.value === 'number') return String(key.value);
    return undefined;
  }

  #readMember(node: NodeOf<'MemberExpression'>, frame: Frame): Value {
    const object = this.read(node.object, frame);
    const key = this.key(node.property, node.computed, frame);
    if (key === undefined) {
      const name = node.optional ? 'optional member' : 'member';
      return this.operation(name, [this.term(object), this.term(this.read(node.property, frame))]);
    }
    return this.member(object, key, node.optional);
  }

  /** Reads `object.key`. */
  member(object: Value, key: string, isOptional = false): Value {
    if (object.kind === 'mcp') return { kind: 'mcp', path: [...object.path, key] };
    if (object.kind === 'builtin') {
      const path = `${object.path}.${key}`;
      return CONSTANTS.has(path)
        ? { kind: 'term', term: this.terms.global(path) }
        : { kind: 'builtin', path };
    }
    const known = this.#knownMember(object, key);
    if (known) return known;
    const term = this.term(object);
    if (isOptional && term.kind === 'constant' && (term.value === null || term.value === undefined))
      return this.constant(undefined);
    return this.operation(isOptional ? 'optional member' : 'member', [term, this.terms.constant(key)]);
  }

  #knownMember(object: Value, key: string): Value | undefined {
    const constant = this.constantOf(object);
    if (typeof constant?.value === 'string' && key === 'length' && this.isPlain(constant))
      return this.constant(constant.value.length);
    if (object.kind !== 'built') return undefined;
    const built = this.state.built(object.at);
    if (built.kind === 'object') {
      const value = built.entries.get(key);
      if (!value && key in Object.prototype) throw new Unreadable('a property of all objects');
      return value ?? this.constant(undefined);
    }
    if (built.items.some(({ isSpread }) => isSpread)) return undefined;
    if (key === 'length') return this.constant(built.items.length);
    return /^\d+$/.test(key) ? (built.items[Number(key)]?.value ?? this.constant(undefined)) : undefined;
  }

  #readChain({ expression }: NodeOf<'ChainExpression'>, frame: Frame, isAwaited: boolean): Value {
    const value = this.read(expression, frame, isAwaited);
    if (value.kind !== 'term' || value.term.kind !== 'operation') return value;
    return hasOptionalPart(value.term) ? this.operation('chain', [value.term]) : value;
  }

  #readUnary({ operator, argument }: NodeOf<'UnaryExpression'>, frame: Frame): Value {
    if (operator === 'delete') return this.#readDelete(argument, frame);
    const value = this.read(argument, frame);
    const constant = this.constantOf(value);
    const folded =
      constant && (this.isPlain(constant) || operator !== 'typeof') && foldUnary(operator, constant.value);
    if (folded) return this.folded(folded.value, [constant]);
    if (operator === '!' && (value.kind === 'built' || value.kind === 'closure')) return this.constant(false);
    return this.operation(`unary ${operator}`, [this.term(value)]);
  }

  #readDelete(node: Node, frame: Frame): Value {
    if (node.type !== 'MemberExpression') throw new Unreadable('delete');
    this.assertInTurn();
    const object = this.read(node.object, frame);
    const key = this.key(node.property, node.computed, frame);
    const built = object.kind === 'built' ? this.state.built(object.at) : undefined;
    if (object.kind !== 'built' || built?.kind !== 'object' || key === undefined)
      throw new Unreadable('delete');
    const entries = new Map(built.entries);
    entries.delete(key);
    this.state.heap.set(object.at, { kind: 'object', entries });
    return this.constant(true);
  }

  binary(operator: string, left: Value, right: Value): Value {
    const a = this.constantOf(left);
    const b = this.constantOf(right);
    const isPlain = a && b && this.isPlain(a) && this.isPlain(b);
    const folded = isPlain && foldBinary(operator, a.value, b.value);
    if (folded) return this.folded(folded.value, [a, b]);
    const terms = [this.term(left), this.term(right)];
    if (operator === '+' && terms.some(isText)) return this.template(terms);
    return this.operation(`binary ${operator}`, terms);
  }

  /** Reads `a && b`, `a || b` and `a ?? b`. */
  logical(operator: string, left: Value, right: () => Value): Value {
    const isKnown = left.kind === 'built' || left.kind === 'closure' || left.kind === 'mcp';
    const constant = this.constantOf(left);
    if (isKnown || constant) {
      const value = constant ? constant.value : true;
      const takesLeft =
        operator === '&&'
          ? !value
          : operator === '||'
            ? Boolean(value)
            : value !== null && value !== undefined;
      return takesLeft ? left : right();
    }
    const term = this.term(left);
    return this.operation(`logical ${operator}`, [term, this.purely(right)]);
  }

  #readConditional(node: NodeOf<'ConditionalExpression'>, frame: Frame, isAwaited: boolean): Value {
    const test = this.read(node.test, frame);
    const known = this.truth(test);
    const read = (side: Node) => this.read(side, frame, isAwaited);
    if (known !== undefined) return read(known ? node.consequent : node.alternate);
    return this.choose(
      this.term(test),
      () => read(node.consequent),
      () => read(node.alternate),
    );
  }

  /** True or false if reading tells it; undefined if only the run does. */
  truth(value: Value): boolean | undefined {
    if (value.kind === 'term') return value.term.kind === 'constant' ? Boolean(value.term.value) : undefined;
    return true;
  }

  #readSequence(nodes: readonly Node[], frame: Frame): Value {
    let value = this.constant(undefined);
    for (const node of nodes) {
      this.noteValue(value);
      value = this.read(node, frame);
    }
    return value;
  }

  #readAssignment({ left, right, operator }: NodeOf<'AssignmentExpression'>, frame: Frame): Value {
    if (operator === '=') {
      // A key is computed before the value, and may throw before the value's calls are made.
      if (left.type === 'MemberExpression' && left.computed) this.noteValue(this.read(left.property, frame));
      const value = this.read(right, frame);
      this.noteValue(value);
      this.assign(left, value, frame);
      return value;
    }
    const before = this.read(left, frame);
    const symbol = operator.slice(0, -1);
    const value = /^(?:&&|\|\||\?\?)$/.test(symbol)
      ? this.logical(symbol, before, () => this.read(right, frame))
      : this.binary(symbol, before, this.read(right, frame));
    this.noteValue(value);
    this.assign(left, value, frame);
    return value;
  }

  #readUpdate({ argument, operator, prefix }: NodeOf<'UpdateExpression'>, frame: Frame): Value {
    const before = this.read(argument, frame);
    const number = this.constantOf(before);
    if (typeof number?.value !== 'number') throw new Unreadable('a counter that only the run knows');
    const after = this.constant(operator === '++' ? number.value + 1 : number.value - 1);
    this.assign(argument, after, frame);
    return prefix ? after : before;
  }

  assign(target: Node, value: Value, frame: Frame): void {
    this.assertInTurn();
    if (target.type === 'Identifier') {
      const binding = this.scopes.bindingOf.get(target);
      const cell = binding && frame.cellOf(binding);
      if (cell === undefined) throw new Unreadable('an assignment to a name of elsewhere');
      this.state.cells.set(cell, value);
      return;
    }
    if (target.type !== 'MemberExpression') throw new Unreadable('an assignment to a pattern');
    const object = this.read(target.object, frame);
    const key = this.key(target.property, target.computed, frame);
    if (object.kind !== 'built' || key === '__proto__')
      throw new Unreadable('a change of what the program did not build');
    const built = this.state.builtUnread(object.at);
    if (built.kind === 'array') this.#setItem(object.at, built.items, key, value);
    else if (built.kind === 'object' && key !== undefined)
      this.state.heap.set(object.at, { kind: 'object', entries: put(new Map(built.entries), key, value) });
    else {
      const name = key === undefined ? this.read(target.property, frame) : this.constant(key);
      this.#addPair(object.at, built, name, value);
    }
  }

  #setItem(at: number, before: readonly Item[], key: string | undefined, value: Value): void {
    const index = Number(key ?? Number.NaN);
    const isWithin = Number.isInteger(index) && index >= 0 && index <= before.length;
    if (!isWithin || before.some(({ isSpread }) => isSpread)) throw new Unreadable('a change inside a list');
    const items = [...before];
    items[index] = { value, isSpread: false };
    this.state.heap.set(at, { kind: 'array', items });
  }

  /** Sets a key that only the run knows, or one more key after such a one. */
  #addPair(at: number, built: Exclude<Built, { kind: 'array' }>, key: Value, value: Value): void {
    const before: readonly Item[] =
      built.kind === 'dictionary'
        ? built.items
        : [...built.entries].map(([name, one]) => ({
            value: this.buildArray([this.constant(name), one]),
            isSpread: false,
          }));
    const items = [...before, { value: this.buildArray([key, value]), isSpread: false }];
    this.state.heap.set(at, { kind: 'dictionary', items });
  }
}

export function closureOf(node: FunctionNode, frame: Frame): Value & { kind: 'closure' } {
  if (node.generator) throw new Unreadable('a generator');
  return { kind: 'closure', node, frame };
}

/** Sets a key as an object literal does: the last value counts, at the place of the first. */
function put(entries: Map<string, Value>, key: string, value: Value): Map<string, Value> {
  return entries.set(key, value);
}

function isText(term: Term): boolean {
  return term.kind === 'constant'
    ? typeof term.value === 'string'
    : term.kind === 'operation' && term.name === 'template';
}

/** True if the term goes through `?.` before the end of its chain. */
function hasOptionalPart(term: Term): boolean {
  if (term.kind !== 'operation') return false;
  if (term.name.startsWith('optional')) return true;
  const isLink = term.name === 'member' || term.name.startsWith('call ');
  return isLink && hasOptionalPart(term.operands[0] as Term);
}
