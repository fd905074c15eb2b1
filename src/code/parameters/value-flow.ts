import { type CallNode, type Identifier, type Node, type Program, staticKey, unwrap } from '../syntax/ast.ts';
import { scalarOf } from '../syntax/constants.ts';
import type { Binding, Scopes } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { ITEM, LocalFunctions } from './local-functions.ts';

/** A literal or written-out list that an expression may stand for. */
export interface FoundLiteral {
  readonly node: Node;
  /** True if the expression holds it as a part of a text, a computation, a list or an object. */
  readonly isPart: boolean;
}

type Key = string | typeof ITEM;

const MAX_STEPS = 4_000;
const MAX_KEYS = 12;
/** Methods that return a text or list made of what they are called on and given. */
const KEEPS_PARTS = new Set([
  'join',
  'concat',
  'trim',
  'toString',
  'replace',
  'replaceAll',
  'padStart',
  'padEnd',
  'repeat',
]);

const COMPUTES = new Set<string>(['+', '-', '*', '/', '%', '**']);

/**
 * Follows values backwards to the literals that they come from: through constants, destructuring, parameters of local functions
 * and classes, loops over lists and array callbacks. What it cannot follow has no literals.
 */
export class ValueFlow {
  readonly #scopes: Scopes;
  readonly functions: LocalFunctions;
  #steps = MAX_STEPS;
  /** The names on the way to where the search is. */
  readonly #followed = new Set<Binding>();

  constructor(program: Program) {
    this.#scopes = scopesOf(program);
    this.functions = new LocalFunctions(program);
  }

  /** Lists the literals that an expression may stand for, each once. */
  literalsOf(node: Node): FoundLiteral[] {
    const found = new Map<Node, FoundLiteral>();
    this.#steps = MAX_STEPS;
    this.#follow(node, [], false, (literal, isPart) => {
      const before = found.get(literal);
      if (!before || before.isPart) found.set(literal, { node: literal, isPart });
    });
    return [...found.values()];
  }

  /** Lists the object literals that an expression may stand for. */
  objectsOf(node: Node): Extract<Node, { type: 'ObjectExpression' }>[] {
    const found: Extract<Node, { type: 'ObjectExpression' }>[] = [];
    this.#steps = MAX_STEPS;
    this.#follow(
      node,
      [],
      false,
      () => {},
      (object) => found.push(object),
    );
    return found;
  }

  #follow(given: Node, keys: readonly Key[], isPart: boolean, found: OnLiteral, onObject?: OnObject): void {
    this.#steps -= 1;
    if (this.#steps < 0 || keys.length > MAX_KEYS) return;
    const node = unwrap(given);
    const next = (one: Node, more = keys, part = isPart) => this.#follow(one, more, part, found, onObject);
    if (scalarOf(node) !== undefined) {
      if (keys.length === 0) found(node, isPart);
      return;
    }
    switch (node.type) {
      case 'Identifier':
        this.#followName(node, keys, next);
        break;
      case 'MemberExpression':
        this.#followMember(node, keys, next);
        break;
      case 'ObjectExpression':
        if (keys.length === 0 && !isPart) onObject?.(node);
        followObject(node, keys, isPart, next);
        break;
      case 'ArrayExpression':
        followList(node, keys, isPart, found, next);
        break;
      case 'TemplateLiteral':
        for (const one of node.expressions) next(one, [], true);
        break;
      case 'BinaryExpression':
        if (COMPUTES.has(node.operator)) for (const one of [node.left, node.right]) next(one, [], true);
        break;
      case 'ConditionalExpression':
        for (const one of [node.consequent, node.alternate]) next(one, keys, true);
        break;
      case 'LogicalExpression':
        for (const one of [node.left, node.right]) next(one, keys, true);
        break;
      case 'AwaitExpression':
        next(node.argument);
        break;
      case 'AssignmentExpression':
        next(node.right);
        break;
      case 'NewExpression':
      case 'CallExpression':
        this.#followCall(node, next);
        break;
      default:
        return;
    }
  }

  #followName(node: Identifier, keys: readonly Key[], next: Next): void {
    const binding = this.#scopes.bindingOf.get(node);
    // A recursive function passes its parameters on to itself.
    if (!binding || this.#followed.has(binding)) return;
    this.#followed.add(binding);
    const { origin } = binding;
    if (binding.constant && origin) next(origin.init, [...origin.keys, ...keys]);
    else for (const source of this.functions.sourcesOf(binding)) next(source.node, [...source.keys, ...keys]);
    this.#followed.delete(binding);
  }

  #followMember(node: Extract<Node, { type: 'MemberExpression' }>, keys: readonly Key[], next: Next): void {
    const key = staticKey(node);
    if (key === undefined) return;
    if (node.object.type === 'ThisExpression') {
      for (const value of this.functions.fieldValues(node, key)) next(value, keys);
      return;
    }
    next(node.object, [key, ...keys]);
  }

  /** A text that a call makes may hold each text that it is given. */
  #followCall(node: CallNode | Extract<Node, { type: 'NewExpression' }>, next: Next): void {
    const callee = unwrap(node.callee);
    const isMethod = callee.type === 'MemberExpression';
    const method = isMethod ? staticKey(callee) : undefined;
    const isGlobal =
      isMethod && callee.object.type === 'Identifier' && !this.#scopes.bindingOf.has(callee.object);
    if (isGlobal && callee.object.type === 'Identifier' && callee.object.name === 'mcp') return;
    if (isMethod && !isGlobal) {
      if (!KEEPS_PARTS.has(method ?? '')) return;
      next(callee.object, [], true);
    }
    for (const one of node.arguments) if (one.type !== 'SpreadElement') next(one, [], true);
  }
}

type OnLiteral = (node: Node, isPart: boolean) => void;
type OnObject = (node: Extract<Node, { type: 'ObjectExpression' }>) => void;
type Next = (node: Node, keys?: readonly Key[], isPart?: boolean) => void;

function followObject(
  node: Extract<Node, { type: 'ObjectExpression' }>,
  [key, ...rest]: readonly Key[],
  isPart: boolean,
  next: Next,
): void {
  for (const property of node.properties) {
    if (property.type === 'SpreadElement') {
      next(property.argument, key === undefined ? [] : [key, ...rest]);
      continue;
    }
    const isHere = key === undefined ? isPart : staticKey(property) === key;
    if (isHere) next(property.value, rest);
  }
}

function followList(
  node: Extract<Node, { type: 'ArrayExpression' }>,
  [key, ...rest]: readonly Key[],
  isPart: boolean,
  found: OnLiteral,
  next: Next,
): void {
  if (key === undefined && !isPart) found(node, false);
  const elements = key === undefined || key === ITEM ? node.elements : [node.elements[Number(key)] ?? null];
  if (key === ITEM && rest.length === 0) found(node, isPart);
  for (const element of elements) {
    if (!element) continue;
    if (element.type === 'SpreadElement') next(element.argument, [ITEM, ...rest], isPart);
    else next(element, rest, key === undefined ? true : isPart);
  }
}
