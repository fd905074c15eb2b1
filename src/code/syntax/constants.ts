import type { Json } from '../../json.ts';
import { type Node, staticKey, stringValue, unwrap } from './ast.ts';

/** Returns the value of a string, number or boolean literal; undefined for everything else. */
export function scalarOf(node: Node): string | number | boolean | undefined {
  const inner = unwrap(node);
  const text = stringValue(inner);
  if (text !== undefined) return text;
  if (inner.type === 'Literal') {
    const { value } = inner;
    return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
      ? value
      : undefined;
  }
  if (inner.type !== 'UnaryExpression' || (inner.operator !== '-' && inner.operator !== '+'))
    return undefined;
  const operand = scalarOf(inner.argument);
  // JSON has no negative zero.
  if (typeof operand !== 'number' || operand === 0) return undefined;
  return inner.operator === '-' ? -operand : operand;
}

/** Caches lists and objects: a nested list is evaluated again with each list around it. */
const cache = new WeakMap<Node, { readonly value: Json | undefined }>();

/** Returns the JSON value that an expression spells out; undefined if any part of it must be computed. */
export function constantOf(node: Node): Json | undefined {
  const inner = unwrap(node);
  if (inner.type === 'Literal' && inner.raw === 'null') return null;
  if (inner.type !== 'ArrayExpression' && inner.type !== 'ObjectExpression') return scalarOf(inner);
  const cached = cache.get(inner);
  if (cached) return cached.value;
  const value = inner.type === 'ArrayExpression' ? constantList(inner) : constantObject(inner);
  cache.set(inner, { value });
  return value;
}

function constantList(node: Extract<Node, { type: 'ArrayExpression' }>): Json | undefined {
  const elements = node.elements.map((element) => (element ? constantOf(element) : undefined));
  return elements.every((element) => element !== undefined) ? (elements as Json[]) : undefined;
}

function constantObject(node: Extract<Node, { type: 'ObjectExpression' }>): Json | undefined {
  const object: Record<string, Json> = {};
  for (const property of node.properties) {
    if (property.type !== 'Property' || property.kind !== 'init' || property.method) return undefined;
    const key = staticKey(property);
    const value = constantOf(property.value);
    // `{ __proto__: x }` sets the prototype; it makes no property.
    if (key === undefined || key === '__proto__' || value === undefined) return undefined;
    object[key] = value;
  }
  return object;
}
