import { classifyLiteral } from '../literals/classify-literal.ts';
import { isDeclaration, pathOf } from '../references/global-paths.ts';
import { type Identifier, isWrapper, type Node, type Program, unwrap } from '../syntax/ast.ts';
import { scalarOf } from '../syntax/constants.ts';
import type { Binding, Scopes } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import type { Candidate, LiteralSurvey } from './literal-survey.ts';

/**
 * Finds the named constants that decide the result or a part of an argument: `const min = 15`, used in
 * `items.filter((item) => item.price > min)`. Literals without a name stay in the code.
 */
export function namedConstants(program: Program, survey: LiteralSurvey): Candidate[] {
  const scopes = scopesOf(program);
  return [...new Set(scopes.bindingOf.values())]
    .flatMap((binding) => candidateOf(binding, scopes, survey) ?? [])
    .sort((a, b) => a.node.start - b.node.start);
}

function candidateOf(binding: Binding, scopes: Scopes, survey: LiteralSurvey): Candidate | undefined {
  const { name, constant, origin, identifiers } = binding;
  const node = constant && origin?.keys.length === 0 ? unwrap(origin.init) : undefined;
  const value = node && scalarOf(node);
  if (!node || value === undefined || survey.candidates.has(node) || !isConst(node, scopes)) return undefined;
  const uses = identifiers.filter((identifier) => !isDeclaration(identifier, scopes));
  if (uses.length === 0 || uses.some((use) => selectsTool(use, scopes))) return undefined;
  const classified = { ...classifyLiteral({ value, key: name }), key: name };
  if (classified.kind !== 'data') return undefined;
  const isRequired = typeof value !== 'boolean' && uses.some((use) => mayBeDemanded(use, survey, scopes));
  const place = { key: name, within: [], tool: undefined, isReadOnly: true };
  return { node, value, classified, place, isRequired };
}

function isConst(init: Node, scopes: Scopes): boolean {
  let at = scopes.parentOf.get(init);
  while (at && isWrapper(at)) at = scopes.parentOf.get(at);
  const declaration = at?.type === 'VariableDeclarator' ? scopes.parentOf.get(at) : undefined;
  return declaration?.type === 'VariableDeclaration' && declaration.kind === 'const';
}

/** True for `name` in `mcp.fs[name]`: another value would be another program. */
function selectsTool(use: Identifier, scopes: Scopes): boolean {
  let at: Node = use;
  let parent = scopes.parentOf.get(at);
  while (parent && isWrapper(parent)) {
    at = parent;
    parent = scopes.parentOf.get(at);
  }
  if (parent?.type === 'Property') return parent.computed && parent.key === at;
  if (parent?.type !== 'MemberExpression' || !parent.computed || parent.property !== at) return false;
  return pathOf(parent.object, 'mcp', scopes) !== undefined;
}

/**
 * True if a use is part of a value that a writing tool demands, or is handed on (`const text = hello + name`, `note(name)`)
 * in a program that computes such a value.
 */
function mayBeDemanded(use: Node, { demanded }: LiteralSurvey, scopes: Scopes): boolean {
  let at: Node | undefined = demanded.size > 0 ? use : undefined;
  let isHandedOn = false;
  let isInFunction = false;
  for (let from = use; at; from = at, at = scopes.parentOf.get(at)) {
    if (demanded.has(at)) return true;
    if (!isInFunction && handsOn(at, from, scopes)) isHandedOn = true;
    if (FUNCTIONS.has(at.type)) isInFunction = true;
  }
  return isHandedOn;
}

const FUNCTIONS = new Set<Node['type']>([
  'ArrowFunctionExpression',
  'FunctionExpression',
  'FunctionDeclaration',
]);

function handsOn(node: Node, from: Node, scopes: Scopes): boolean {
  switch (node.type) {
    case 'VariableDeclarator':
      return node.init === from;
    case 'AssignmentExpression':
      return node.right === from;
    case 'CallExpression':
      return node.callee !== from && node.callee.type === 'Identifier' && scopes.bindingOf.has(node.callee);
    default:
      return false;
  }
}
