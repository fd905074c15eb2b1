import { type Node, stringValue } from '../syntax/ast.ts';
import { CONSTANTS, NAMESPACES, PURE_CONSTRUCTORS, PURE_FUNCTIONS } from './builtins.ts';
import { foldBinary, foldUnary } from './constant-folding.ts';
import { ReaderCore } from './reader-core.ts';
import type { Frame, FunctionNode, Item, Value } from './state.ts';
import type { Primitive, Term } from './terms.ts';
import { Unreadable } from './unreadable.ts';

export type NodeOf<Type extends Node['type']> = Extract<Node, { type: Type }>;

/** Only a loop that doubles a text, such as `s = s + s`, makes more parts. */
const MAX_PARTS = 200;

/** Reads expressions. Subclasses read assignments, calls and conditionals. */
export abstract class ExpressionReader extends ReaderCore {
  /** `isAwaited` is true if nothing else happens before the call is awaited. */
  abstract readCall(node: NodeOf<'CallExpression'>, frame: Frame, isAwaited: boolean): Value;
  abstract readNew(node: NodeOf<'NewExpression'>, frame: Frame): Value;
  abstract readAssignment(node: NodeOf<'AssignmentExpression'>, frame: Frame): Value;
  abstract readUpdate(node: NodeOf<'UpdateExpression'>, frame: Frame): Value;
  abstract readDelete(node: Node, frame: Frame): Value;
  /** Reads both sides of a condition. The value is that of the side that the run takes. */
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
        return this.readAssignment(node, frame);
      case 'UpdateExpression':
        return this.readUpdate(node, frame);
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

  /** Concatenates texts. Adjacent constants are merged, unless one has a name in the source. */
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
    return this.readKey(node, isComputed, frame).name;
  }

  /** Reads a key. Read each key only once, since it may make calls. */
  readKey(node: Node, isComputed: boolean, frame: Frame): Key {
    if (!isComputed && node.type === 'Identifier')
      return { name: node.name, value: this.constant(node.name) };
    if (node.type === 'PrivateIdentifier') throw new Unreadable('a private name');
    const value = this.read(node, frame);
    const constant = this.constantOf(value)?.value;
    const isName = typeof constant === 'string' || typeof constant === 'number';
    return { name: isName ? String(constant) : undefined, value };
  }

  #readMember(node: NodeOf<'MemberExpression'>, frame: Frame): Value {
    const object = this.read(node.object, frame);
    return this.memberBy(object, this.readKey(node.property, node.computed, frame), node.optional);
  }

  memberBy(object: Value, { name, value }: Key, isOptional = false): Value {
    if (name !== undefined) return this.member(object, name, isOptional);
    return this.operation(isOptional ? 'optional member' : 'member', [this.term(object), this.term(value)]);
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
    if (operator === 'delete') return this.readDelete(argument, frame);
    const value = this.read(argument, frame);
    const constant = this.constantOf(value);
    const folded =
      constant && (this.isPlain(constant) || operator !== 'typeof') && foldUnary(operator, constant.value);
    if (folded) return this.folded(folded.value, [constant]);
    if (operator === '!' && (value.kind === 'built' || value.kind === 'closure')) return this.constant(false);
    return this.operation(`unary ${operator}`, [this.term(value)]);
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

  /** True or false if the value is known statically; undefined if only the run knows it. */
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
}

/** The key of a property or member, with its name if that is known statically. */
export interface Key {
  readonly name: string | undefined;
  readonly value: Value;
}

export function closureOf(node: FunctionNode, frame: Frame): Value & { kind: 'closure' } {
  if (node.generator) throw new Unreadable('a generator');
  return { kind: 'closure', node, frame };
}

/** Sets a key as an object literal does: the last value counts, at the place of the first. */
export function put(entries: Map<string, Value>, key: string, value: Value): Map<string, Value> {
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
