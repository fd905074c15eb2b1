import type { Json } from '../../json.ts';
import { type Node, type Program, staticKey } from '../syntax/ast.ts';
import { constantOf } from '../syntax/constants.ts';
import { contains } from '../syntax/positions.ts';
import type { Scopes } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { type MemberChain, memberChainsOf } from './global-paths.ts';

/** A place where a program reads an argument by its name. */
export interface ArgumentUse {
  readonly name: string;
  /** The expression that stands for the argument; for a destructured name, its property in the pattern. */
  readonly node: Node;
  /** The value that the code uses if the argument is missing. */
  readonly fallback: Fallback | undefined;
  /** True if the code checks whether the argument is there: then it may be left out. */
  readonly isTested: boolean;
}

export interface Fallback {
  /** Undefined if it is computed. */
  readonly value: Json | undefined;
}

export interface ArgumentUses {
  readonly uses: readonly ArgumentUse[];
  /** True if the code passes `args` on as a whole: then any argument may matter. */
  readonly escapes: boolean;
}

const cache = new WeakMap<Program, ArgumentUses>();

/** Finds how a program uses its `args`. Cached per program. */
export function argumentUsesOf(program: Program): ArgumentUses {
  const cached = cache.get(program);
  if (cached) return cached;
  const scopes = scopesOf(program);
  const uses: ArgumentUse[] = [];
  let escapes = false;
  for (const chain of memberChainsOf(program, 'args', (keys) => keys.length >= 1)) {
    const [name] = chain.path.keys;
    const found =
      chain.path.keys.length === 0
        ? destructured(chain, scopes)
        : name !== undefined && [useOf(name, chain, scopes)];
    if (found) uses.push(...found);
    else escapes = true;
  }
  const result = { uses, escapes };
  cache.set(program, result);
  return result;
}

/** Lists the arguments that `const { a, b = 1 } = args` reads; undefined if `args` goes elsewhere. */
function destructured({ parent }: MemberChain, scopes: Scopes): ArgumentUse[] | undefined {
  if (parent?.type !== 'VariableDeclarator') return undefined;
  const { id } = parent;
  if (id.type === 'Identifier') return scopes.bindingOf.get(id)?.constant ? [] : undefined;
  if (id.type !== 'ObjectPattern') return undefined;
  const uses: ArgumentUse[] = [];
  for (const property of id.properties) {
    const name = property.type === 'Property' ? staticKey(property) : undefined;
    if (name === undefined || property.type !== 'Property') return undefined;
    const hasDefault = property.value.type === 'AssignmentPattern';
    const fallback =
      property.value.type === 'AssignmentPattern' ? { value: constantOf(property.value.right) } : undefined;
    // The uses of a plain name say more than its declaration, and are found by themselves.
    if (hasDefault || !isFollowed(property.value, scopes))
      uses.push({ name, node: property, fallback, isTested: false });
  }
  return uses;
}

function isFollowed(pattern: Node, scopes: Scopes): boolean {
  if (pattern.type !== 'Identifier') return false;
  const binding = scopes.bindingOf.get(pattern);
  return binding?.constant === true && binding.identifiers.length > 1;
}

function useOf(name: string, { node, parent }: MemberChain, scopes: Scopes): ArgumentUse {
  const isLeft = parent?.type === 'LogicalExpression' && contains(parent.left, node);
  const hasFallback = isLeft && (parent.operator === '??' || parent.operator === '||');
  const fallback = hasFallback ? { value: constantOf(parent.right) } : undefined;
  const isTested = !hasFallback && parent !== undefined && isTest(parent, node, scopes);
  return { name, node, fallback, isTested };
}

/** True for `if (args.x)`, `args.x && …`, `!args.x`, `args.x === undefined`, `args.x?.y`, and where the code sets it. */
function isTest(parent: Node, node: Node, scopes: Scopes): boolean {
  switch (parent.type) {
    case 'AssignmentExpression':
      return contains(parent.left, node);
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
      return contains(parent.test, node);
    case 'LogicalExpression':
      return contains(parent.left, node);
    case 'UnaryExpression':
      return parent.operator === '!' || parent.operator === 'typeof';
    case 'BinaryExpression':
      return (
        /^[!=]==?$/.test(parent.operator) &&
        [parent.left, parent.right].some((side) => isNothing(side, scopes))
      );
    case 'MemberExpression':
    case 'CallExpression':
      return (
        parent.optional && contains(parent.type === 'CallExpression' ? parent.callee : parent.object, node)
      );
    default:
      return false;
  }
}

function isNothing(node: Node, scopes: Scopes): boolean {
  if (node.type === 'Literal') return node.raw === 'null';
  return node.type === 'Identifier' && node.name === 'undefined' && !scopes.bindingOf.has(node);
}
