import { referenceNodesOf } from '../references/find-references.ts';
import { isWrapper, type Node, type Program } from '../syntax/ast.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { type KnownCall, type KnownTools, knownCallsOf } from './known-calls.ts';

/** Nodes that evaluate the call in them once. */
const ONCE = new Set<Node['type']>([
  'AwaitExpression',
  'ObjectExpression',
  'Property',
  'SpreadElement',
  'ArrayExpression',
  'MemberExpression',
  'CallExpression',
  'NewExpression',
  'TemplateLiteral',
  'BinaryExpression',
  'UnaryExpression',
  'AssignmentExpression',
  'VariableDeclarator',
  'VariableDeclaration',
  'ExpressionStatement',
  'ReturnStatement',
]);

/**
 * Lists the calls of a straight-line program in the order in which a run makes them. Undefined if it makes one in a branch, a loop
 * or a function, or one whose name is known only at run time: then nobody can tell which recorded call is which.
 */
export function straightCallsOf(program: Program, tools: KnownTools): KnownCall[] | undefined {
  const { parentOf } = scopesOf(program);
  const isPassedOn = referenceNodesOf(program).some(
    ({ call, isAliasDeclaration }) => !call && !isAliasDeclaration,
  );
  const calls = knownCallsOf(program, tools);
  if (isPassedOn || !calls.every(({ call, isResolved }) => isResolved && runsOnce(call, parentOf)))
    return undefined;
  // The calls in the arguments of a call are made before it.
  return calls.sort((a, b) => a.call.end - b.call.end);
}

function runsOnce(call: Node, parentOf: ReadonlyMap<Node, Node>): boolean {
  for (let at = parentOf.get(call); at; at = parentOf.get(at))
    if (!ONCE.has(at.type) && !isWrapper(at)) return false;
  return true;
}
