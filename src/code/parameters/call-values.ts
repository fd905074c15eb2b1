import type { JsonSchema } from '../../json.ts';
import { secretFlag } from '../literals/secret-flag.ts';
import { positionalKey, type Step } from '../schema/tool-schema.ts';
import { type CallNode, type Node, staticKey, unwrap } from '../syntax/ast.ts';

/** A value inside the argument of a call that is no object or array: `1`, `x` and `2` in `{ a: 1, b: [x, { c: 2 }] }`. */
export interface CallValue {
  readonly node: Node;
  /** The property that holds it; for an item, that of its array. */
  readonly key: string | undefined;
  /** The path to it in the tool's argument; undefined behind a computed key. */
  readonly path: readonly Step[] | undefined;
}

export interface CallArray extends CallValue {
  readonly node: Extract<Node, { type: 'ArrayExpression' }>;
}

export interface CallVisitor {
  value(value: CallValue): void;
  /** Return true to have the items visited as well. */
  array(array: CallArray): boolean;
}

/** Visits the values that are written directly in the arguments of a call, in source order. */
export function visitCallValues(call: CallNode, schema: JsonSchema | undefined, visitor: CallVisitor): void {
  call.arguments.forEach((argument, index) => {
    if (argument.type === 'SpreadElement') return;
    const isObject = unwrap(argument).type === 'ObjectExpression';
    const key = isObject ? undefined : positionalKey(schema, index);
    const path = isObject && index === 0 ? [] : key === undefined ? undefined : [{ property: key }];
    visit({ node: argument, key, path }, visitor);
  });
}

function visit(value: CallValue, visitor: CallVisitor): void {
  const node = unwrap(value.node);
  if (node.type === 'ObjectExpression') {
    for (const property of node.properties) {
      if (property.type !== 'Property' || property.kind !== 'init' || property.method) continue;
      const key = staticKey(property);
      const path = value.path && key !== undefined ? [...value.path, { property: key }] : undefined;
      if (key !== '__proto__') visit({ node: property.value, key, path }, visitor);
    }
  } else if (node.type === 'ArrayExpression') {
    if (!visitor.array({ ...value, node })) return;
    node.elements.forEach((element, at) => {
      if (!element || element.type === 'SpreadElement') return;
      const key = secretFlag(node.elements[at - 1]) ?? value.key;
      visit({ node: element, key, path: value.path && [...value.path, 'item'] }, visitor);
    });
  } else {
    visitor.value({ ...value, node });
  }
}
