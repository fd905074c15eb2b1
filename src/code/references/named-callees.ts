import { isWrapper, type Node, type Program, staticKey, valueChildren } from '../syntax/ast.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { referenceNodesOf } from './find-references.ts';

/** Globals by which code reaches `mcp` without naming it, or turns text into code. */
const INDIRECT_GLOBALS = ['globalThis', 'eval', 'Function', 'Reflect', 'Proxy'];
/** Properties that lead from any value to `Function`. */
const INDIRECT_KEYS = /^(?:constructor|prototype|__proto__|getPrototypeOf|getOwnProperty\w*)$/;

/**
 * True if the source names everything that the program can call. False in doubt, since caching and the announced
 * read-only hint rely on it.
 */
export function namesAllCallees(program: Program): boolean {
  if (!referenceNodesOf(program).every(({ isStatic }) => isStatic)) return false;
  const { globals, parentOf } = scopesOf(program);
  if (INDIRECT_GLOBALS.some((name) => globals.has(name))) return false;
  const open: Node[] = [...program.body];
  for (let node = open.pop(); node; node = open.pop()) {
    if (isIndirect(node, parentOf)) return false;
    open.push(...valueChildren(node));
  }
  return true;
}

/** `this` may be the global object; a computed key may be any key, unless what it reads cannot be called. */
function isIndirect(node: Node, parentOf: ReadonlyMap<Node, Node>): boolean {
  if (node.type === 'ThisExpression') return true;
  if (node.type === 'MemberExpression')
    return isIndirectKey(staticKey(node)) && !(node.computed && yieldsPlainValue(node, parentOf));
  if (node.type !== 'ObjectPattern') return false;
  return node.properties.some((one) => one.type === 'Property' && isIndirectKey(staticKey(one)));
}

/** True for `o[k] = v` and `(o[k] ?? 0) + 1`: the result is a string, number or boolean, which cannot be called. */
function yieldsPlainValue(node: Node, parentOf: ReadonlyMap<Node, Node>): boolean {
  let at = node;
  let parent = parentOf.get(at);
  if (parent?.type === 'AssignmentExpression' && parent.left === at) return !LOGICAL.test(parent.operator);
  while (parent && (isWrapper(parent) || parent.type === 'LogicalExpression')) {
    at = parent;
    parent = parentOf.get(at);
  }
  switch (parent?.type) {
    case 'UpdateExpression':
    case 'UnaryExpression':
    case 'BinaryExpression':
      return true;
    case 'TemplateLiteral':
      return parentOf.get(parent)?.type !== 'TaggedTemplateExpression';
    case 'IfStatement':
    case 'ConditionalExpression':
      return parent.test === at;
    default:
      return false;
  }
}

/** Assignments that may keep the value that was there. */
const LOGICAL = /^(?:&&|\|\||\?\?)=$/;

function isIndirectKey(key: string | undefined): boolean {
  return key === undefined || INDIRECT_KEYS.test(key);
}
