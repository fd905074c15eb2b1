import { type Identifier, isWrapper, type Node, type Program, staticKey, unwrap } from '../syntax/ast.ts';
import type { Binding, Scopes } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';

/** The keys that lead from a global, `mcp` or `args`, to a value. A key is undefined if it is known only at run time. */
export interface GlobalPath {
  readonly keys: readonly (string | undefined)[];
  /** The local names it passes through: `fs` in `const { fs } = mcp; fs.read()`. */
  readonly aliases: readonly Binding[];
}

const MAX_ALIASES = 20;
/** Callers only tell one key, two keys, and more apart. */
const MAX_KEYS = 3;

/** Traces an expression back to the global `root`, through aliases and destructuring; undefined if it starts elsewhere. */
export function pathOf(
  node: Node,
  root: string,
  scopes: Scopes,
  budget = MAX_ALIASES,
): GlobalPath | undefined {
  const expression = unwrap(node);
  if (expression.type === 'MemberExpression') {
    const base = pathOf(expression.object, root, scopes, budget);
    return base && { ...base, keys: appendKeys(base.keys, [staticKey(expression)]) };
  }
  if (expression.type !== 'Identifier') return undefined;
  const binding = scopes.bindingOf.get(expression);
  if (!binding) return expression.name === root ? { keys: [], aliases: [] } : undefined;
  return pathOfBinding(binding, root, scopes, budget);
}

function appendKeys(keys: GlobalPath['keys'], more: GlobalPath['keys']): GlobalPath['keys'] {
  return keys.length >= MAX_KEYS ? keys : [...keys, ...more].slice(0, MAX_KEYS);
}

/** The paths of local names, by root: a name that is used a thousand times is traced once. */
const cache = new WeakMap<Binding, Map<string, GlobalPath | undefined>>();

function pathOfBinding(
  binding: Binding,
  root: string,
  scopes: Scopes,
  budget: number,
): GlobalPath | undefined {
  const paths = cache.get(binding) ?? new Map<string, GlobalPath | undefined>();
  cache.set(binding, paths);
  if (paths.has(root)) {
    const path = paths.get(root);
    return path && path.aliases.length <= budget ? path : undefined;
  }
  // `const a = a` refers to itself.
  if (!binding.origin || !binding.constant || budget === 0) return undefined;
  const origin = pathOf(binding.origin.init, root, scopes, budget - 1);
  const path = origin && {
    keys: appendKeys(origin.keys, binding.origin.keys),
    aliases: [...origin.aliases, binding],
  };
  // With a smaller budget, a missing path may only mean that the budget ran out.
  if (path || budget === MAX_ALIASES) paths.set(root, path);
  return path;
}

/** A longest chain of member accesses from a global, such as `mcp.fs.read`, and where it stands. */
export interface MemberChain {
  readonly path: GlobalPath;
  /** The whole chain, without the wrappers around it. */
  readonly node: Node;
  /** The node around the chain, wrappers skipped; undefined for a statement at the top. */
  readonly parent: Node | undefined;
}

/**
 * Finds the longest member chains that start at the global `root`. A chain ends where `isComplete` says so: later keys
 * (`.call`, `.name`) are properties of the value found.
 */
export function memberChainsOf(
  program: Program,
  root: string,
  isComplete: (keys: GlobalPath['keys']) => boolean = () => false,
): MemberChain[] {
  const scopes = scopesOf(program);
  const found: MemberChain[] = [];
  for (const identifier of chainStarts(root, scopes)) {
    const path = pathOf(identifier, root, scopes);
    if (path) found.push(extendChain(identifier, path, scopes, isComplete));
  }
  return found.sort((a, b) => a.node.start - b.node.start);
}

/** Lists the identifiers where a chain may start: the global itself, and every use of a local name with a known origin. */
function chainStarts(root: string, scopes: Scopes): Identifier[] {
  const aliases = new Set<Binding>();
  for (const binding of scopes.bindingOf.values()) if (binding.origin) aliases.add(binding);
  const uses = [...aliases].flatMap(({ identifiers }) => identifiers);
  return [...(scopes.globals.get(root) ?? []), ...uses.filter((use) => !isDeclaration(use, scopes))];
}

function extendChain(
  start: Identifier,
  path: GlobalPath,
  scopes: Scopes,
  isComplete: (keys: GlobalPath['keys']) => boolean,
): MemberChain {
  let node: Node = start;
  let keys = path.keys;
  for (let at: Node = start; ; ) {
    const parent = scopes.parentOf.get(at);
    if (parent && isWrapper(parent)) {
      at = parent;
    } else if (parent?.type === 'MemberExpression' && parent.object === at && !isComplete(keys)) {
      keys = appendKeys(keys, [staticKey(parent)]);
      node = parent;
      at = parent;
    } else {
      return { path: { ...path, keys }, node, parent };
    }
  }
}

/** True for the identifier that declares a name, as opposed to one that uses it. */
export function isDeclaration(identifier: Identifier, scopes: Scopes): boolean {
  let at: Node = identifier;
  let parent = scopes.parentOf.get(at);
  while (parent && PATTERNS.has(parent.type)) {
    // `{ a = 1 }` and `{ [key]: a }` declare `a`; the default and the key are expressions.
    if (parent.type === 'AssignmentPattern' && parent.right === at) return false;
    if (parent.type === 'Property' && parent.computed && parent.key === at) return false;
    at = parent;
    parent = scopes.parentOf.get(at);
  }
  return parent?.type === 'VariableDeclarator' && parent.id === at;
}

const PATTERNS = new Set<Node['type']>([
  'Property',
  'ObjectPattern',
  'ArrayPattern',
  'AssignmentPattern',
  'RestElement',
]);
