import { type CallNode, type Node, type Program, staticKey, unwrap, valueChildren } from '../syntax/ast.ts';
import { offsetOf, type Position } from '../syntax/positions.ts';
import type { Scopes } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { referenceNodesOf } from './find-references.ts';

/** A value that comes out of the result of a call. */
export interface ValueOrigin {
  /** The callee as the code spells it. */
  readonly name: string;
  /** The value as the code writes it. */
  readonly text: string;
  /** How the code reads the result itself. */
  readonly read?: ReadProperty;
}

/** A property that code reads of a value: `file.text.trim()` reads `text` of `file`, and then `.trim()`. */
export interface ReadProperty {
  /** Undefined if the property is destructured: `const { text } = file`. */
  readonly object: string | undefined;
  /** Undefined if the code uses the result itself, as in `file.trim()`. */
  readonly key: string | undefined;
  readonly rest: string;
}

const MAX_STEPS = 50;
const MAX_TEXT = 80;

/** Finds the call whose result the code reads at a place where the run failed. */
export function originAt(program: Program, position: Position): ValueOrigin | undefined {
  const value = valueAt(program, offsetOf(program.source, position));
  return value && originOf(program, value);
}

/** Finds the call whose result the code returns, if it returns in one place. */
export function originOfResult(program: Program): ValueOrigin | undefined {
  const returned = program.body.filter((one) => one.type === 'ReturnStatement');
  const [only] = program.kind === 'expression' ? program.body : returned;
  if (returned.length > 1) return undefined;
  const value =
    only?.type === 'ReturnStatement'
      ? only.argument
      : only?.type === 'ExpressionStatement'
        ? only.expression
        : null;
  return value ? originOf(program, value) : undefined;
}

/** V8 reports a property at its name, a value at its start, and a function of the language at its call. */
function valueAt(program: Program, offset: number): Node | undefined {
  const { parentOf } = scopesOf(program);
  let found: Node | undefined;
  const open: Node[] = [...program.body];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.start > offset || node.end < offset) continue;
    if (node.type === 'MemberExpression' && node.property.start === offset)
      return isJsonParse(node) ? argumentOf(parentOf.get(node)) : node.object;
    if (node.type === 'Identifier' && node.start === offset) found ??= node;
    open.push(...valueChildren(node));
  }
  return found;
}

function isJsonParse({ object, property }: Extract<Node, { type: 'MemberExpression' }>): boolean {
  const isJson = object.type === 'Identifier' && object.name === 'JSON';
  return isJson && property.type === 'Identifier' && property.name === 'parse';
}

function argumentOf(call: Node | undefined): Node | undefined {
  return call?.type === 'CallExpression' ? call.arguments[0] : undefined;
}

function originOf(program: Program, value: Node): ValueOrigin | undefined {
  const scopes = scopesOf(program);
  const names = new Map<Node, string>();
  for (const { call, name } of referenceNodesOf(program))
    if (call && name !== undefined) names.set(call, name);
  let node: Node | undefined = value;
  for (let left = MAX_STEPS; node && left > 0; left -= 1) {
    const inner: Node = unwrap(node);
    const name = names.get(inner);
    if (name !== undefined) {
      const read = readOf(program, value, (one) => names.has(one));
      return { name, text: textOf(program, value), ...(read && { read }) };
    }
    node = sourceOf(inner, (identifier) => originOfName(identifier, scopes));
  }
  return undefined;
}

/** Tells which property of the result a value is; undefined if the value lies deeper. */
function readOf(program: Program, value: Node, isCall: (node: Node) => boolean): ReadProperty | undefined {
  const inner = unwrap(value);
  const destructured = keyOfName(program, inner, isCall);
  if (destructured !== undefined)
    return { object: undefined, key: destructured, rest: restOf(program, value) };
  const read = inner.type === 'MemberExpression' ? inner : undefined;
  const whole = unwrap(read?.object ?? inner);
  const key = read && staticKey(read);
  if ((read && key === undefined) || !isWholeResult(program, whole, isCall)) return undefined;
  const text = textOf(program, read?.object ?? inner);
  const object = whole.type === 'AwaitExpression' ? `(${text})` : text;
  return { object, key, rest: restOf(program, value) };
}

/** The `a` of `const { a } = await …`. */
function keyOfName(program: Program, value: Node, isCall: (node: Node) => boolean): string | undefined {
  const origin = value.type === 'Identifier' ? originOfName(value, scopesOf(program)) : undefined;
  if (origin?.keys.length !== 1 || elementOf(origin.init, origin.keys[0])) return undefined;
  return isWholeResult(program, origin.init, isCall) ? origin.keys[0] : undefined;
}

function isWholeResult(program: Program, value: Node, isCall: (node: Node) => boolean): boolean {
  const scopes = scopesOf(program);
  let node: Node | undefined = value;
  for (let left = MAX_STEPS; node && left > 0; left -= 1) {
    const inner: Node = unwrap(node);
    if (isCall(inner)) return true;
    if (inner.type === 'AwaitExpression') node = inner.argument;
    else if (inner.type === 'Identifier') node = wholeOrigin(originOfName(inner, scopes));
    else return false;
  }
  return false;
}

function wholeOrigin(origin: NameOrigin | undefined): Node | undefined {
  if (!origin) return undefined;
  return origin.keys.length === 0 ? origin.init : elementOf(origin.init, origin.keys[0]);
}

const MAX_REST = 60;
const FIRST_OPERATION = /^\s*(\??\.[\w$]{1,40}\()/;

/** The operation of the code on a value: `.trim()` of `file.text.trim()`. A long one is cut to its method: `.map(…)`. */
function restOf(program: Program, value: Node): string {
  const { parentOf } = scopesOf(program);
  let node = value;
  for (let parent = parentOf.get(node); parent; parent = parentOf.get(node)) {
    const isRead = parent.type === 'MemberExpression' && parent.object === node;
    const isCalled = parent.type === 'CallExpression' && parent.callee === node;
    if (!isRead && !isCalled) break;
    node = parent;
  }
  const rest = program.source.slice(value.end, node.end);
  if (rest.length <= MAX_REST && !/[\n`]/.test(rest)) return rest;
  return FIRST_OPERATION.exec(rest)?.[1]?.concat('…)') ?? '';
}

type NameOrigin = { init: Node; keys: readonly string[] };

/** The value that a local name was declared with; `const [a] = …` takes it from a list. */
function originOfName(identifier: Node, { bindingOf, parentOf }: Scopes): NameOrigin | undefined {
  const binding = bindingOf.get(identifier);
  if (!binding?.constant || binding.origin) return binding?.constant ? binding.origin : undefined;
  let node: Node | undefined = binding.identifiers[0];
  for (let parent = node && parentOf.get(node); node && parent; parent = parentOf.get(node)) {
    if (parent.type === 'ArrayPattern') {
      const declarator = parentOf.get(parent);
      const key = String((parent.elements as readonly (Node | null)[]).indexOf(node));
      const init = declarator?.type === 'VariableDeclarator' ? declarator.init : undefined;
      return init ? { init, keys: [key] } : undefined;
    }
    if (parent.type !== 'Property' && parent.type !== 'ObjectPattern') return undefined;
    node = parent;
  }
  return undefined;
}

/** The value that another is taken from. */
function sourceOf(node: Node, ofName: (identifier: Node) => NameOrigin | undefined): Node | undefined {
  if (node.type === 'AwaitExpression') return node.argument;
  if (node.type === 'MemberExpression') return elementOf(node.object, staticKey(node)) ?? node.object;
  if (node.type === 'LogicalExpression') return node.left;
  if (node.type === 'Identifier') {
    const origin = ofName(node);
    return origin && (elementOf(origin.init, origin.keys[0]) ?? origin.init);
  }
  // `rows.find(…)`, `text.trim()`: something of the object.
  if (node.type !== 'CallExpression') return undefined;
  const callee = unwrap(node.callee);
  return callee.type === 'MemberExpression' ? unwrap(callee.object) : undefined;
}

/** One of the calls in `await Promise.all([…])`. */
function elementOf(node: Node, key: string | undefined): Node | undefined {
  const inner = unwrap(node);
  const call = inner.type === 'AwaitExpression' ? unwrap(inner.argument) : inner;
  if (key === undefined || call.type !== 'CallExpression' || !isPromiseAll(call)) return undefined;
  const [list] = call.arguments;
  return list?.type === 'ArrayExpression' ? (list.elements[Number(key)] ?? undefined) : undefined;
}

function isPromiseAll({ callee }: CallNode): boolean {
  const isOfPromise = callee.type === 'MemberExpression' && callee.object.type === 'Identifier';
  return (
    isOfPromise &&
    (callee.object as { name: string }).name === 'Promise' &&
    ['all', 'allSettled'].includes(staticKey(callee) ?? '')
  );
}

function textOf({ source }: Program, { start, end }: Node): string {
  const text = source.slice(start, end).replace(/\s+/g, ' ');
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1).toWellFormed()}…` : text;
}
