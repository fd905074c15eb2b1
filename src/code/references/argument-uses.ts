import type { Json } from '../../json.ts';
import { type Node, type Program, staticKey } from '../syntax/ast.ts';
import { constantOf } from '../syntax/constants.ts';
import { type Scopes, scopesOf } from '../syntax/scope.ts';
import { type Reach, reachesOf } from './global-paths.ts';

/** One place where a program reads an argument by its name. */
export interface ArgUse {
  readonly name: string;
  /** The expression that stands for the argument; for a destructured name, its property in the pattern. */
  readonly node: Node;
  /** What the code takes if the argument is missing. */
  readonly fallback: Fallback | undefined;
  /** Whether the code asks if the argument is there: then it may be left out. */
  readonly isTested: boolean;
}

/** `value` is undefined where the fallback is computed. */
export interface Fallback {
  readonly value: Json | undefined;
}

export interface ArgUses {
  readonly uses: readonly ArgUse[];
  /** True if `args` goes somewhere as a whole: then any argument may matter. */
  readonly escapes: boolean;
}

const known = new WeakMap<Program, ArgUses>();

/** How a program uses its `args`. */
export function argumentUsesOf(program: Program): ArgUses {
  const before = known.get(program);
  if (before) return before;
  const scopes = scopesOf(program);
  const uses: ArgUse[] = [];
  let escapes = false;
  for (const reach of reachesOf(program, 'args', (keys) => keys.length >= 1)) {
    const [name] = reach.path.keys;
    const found =
      reach.path.keys.length === 0
        ? destructured(reach, scopes)
        : name !== undefined && [useOf(name, reach, scopes)];
    if (found) uses.push(...found);
    else escapes = true;
  }
  const result = { uses, escapes };
  known.set(program, result);
  return result;
}

/** What `const { a, b = 1 } = args` reads; undefined if `args` goes elsewhere. */
function destructured({ parent }: Reach, scopes: Scopes): ArgUse[] | undefined {
  if (parent?.type !== 'VariableDeclarator') return undefined;
  const { id } = parent;
  if (id.type === 'Identifier') return scopes.bindingOf.get(id)?.constant ? [] : undefined;
  if (id.type !== 'ObjectPattern') return undefined;
  const uses: ArgUse[] = [];
  for (const property of id.properties) {
    const name = property.type === 'Property' ? staticKey(property) : undefined;
    if (name === undefined || property.type !== 'Property') return undefined;
    const hasDefault = property.value.type === 'AssignmentPattern';
    const fallback =
      property.value.type === 'AssignmentPattern' ? { value: constantOf(property.value.right) } : undefined;
    // A plain name is followed to its uses, which tell more.
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

function useOf(name: string, { node, parent }: Reach, scopes: Scopes): ArgUse {
  const isLeft = parent?.type === 'LogicalExpression' && holds(parent.left, node);
  const falls = isLeft && (parent.operator === '??' || parent.operator === '||');
  const fallback = falls ? { value: constantOf(parent.right) } : undefined;
  return { name, node, fallback, isTested: !falls && parent !== undefined && isTest(parent, node, scopes) };
}

/** `if (args.x)`, `args.x && …`, `!args.x`, `args.x === undefined`, `args.x?.y`, or it is set by the code itself. */
function isTest(parent: Node, node: Node, scopes: Scopes): boolean {
  switch (parent.type) {
    case 'AssignmentExpression':
      return holds(parent.left, node);
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
      return holds(parent.test, node);
    case 'LogicalExpression':
      return holds(parent.left, node);
    case 'UnaryExpression':
      return parent.operator === '!' || parent.operator === 'typeof';
    case 'BinaryExpression':
      return (
        /^[!=]==?$/.test(parent.operator) &&
        [parent.left, parent.right].some((side) => isNothing(side, scopes))
      );
    case 'MemberExpression':
    case 'CallExpression':
      return parent.optional && holds(parent.type === 'CallExpression' ? parent.callee : parent.object, node);
    default:
      return false;
  }
}

function isNothing(node: Node, scopes: Scopes): boolean {
  if (node.type === 'Literal') return node.raw === 'null';
  return node.type === 'Identifier' && node.name === 'undefined' && !scopes.bindingOf.has(node);
}

function holds(outer: Node, inner: Node): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}
