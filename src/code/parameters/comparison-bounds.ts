import type { Node } from '../syntax/ast.ts';
import type { Scopes } from '../syntax/scope.ts';

type Binary = Extract<Node, { type: 'BinaryExpression' }>;

const LEAVES = new Set<Node['type']>([
  'ThrowStatement',
  'ReturnStatement',
  'ContinueStatement',
  'BreakStatement',
]);

/** Says whether one side of a comparison is the least or the most that goes on: `if (open < 5) throw …` has a minimum of 5. */
export function boundOf(node: Binary, side: Node, { parentOf }: Scopes): 'min' | 'max' | undefined {
  if (!/^[<>]/.test(node.operator) || node.operator.length > 2) return undefined;
  let isLeast = (node.operator[0] === '>') === (node.right === side);
  let at: Node = node;
  let parent = parentOf.get(at);
  while (parent && (parent.type === 'LogicalExpression' || parent.type === 'UnaryExpression')) {
    if (parent.type === 'UnaryExpression') isLeast = !isLeast;
    at = parent;
    parent = parentOf.get(at);
  }
  if (parent?.type === 'IfStatement' && parent.test === at && leaves(parent.consequent)) isLeast = !isLeast;
  return isLeast ? 'min' : 'max';
}

function leaves(statement: Node): boolean {
  const last = statement.type === 'BlockStatement' ? statement.body.at(-1) : statement;
  return last !== undefined && LEAVES.has(last.type);
}
