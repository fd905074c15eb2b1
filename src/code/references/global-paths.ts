import { type Identifier, isWrapper, type Node, type Program, staticKey, unwrap } from '../syntax/ast.ts';
import { type Binding, type Scopes, scopesOf } from '../syntax/scope.ts';

/** What an expression reaches from a global, `mcp` or `args`: a key is undefined where only the run can tell it. */
export interface Path {
  readonly keys: readonly (string | undefined)[];
  /** The local names it goes through: `fs` in `const { fs } = mcp; fs.read()`. */
  readonly aliases: readonly Binding[];
}

const MAX_ALIASES = 20;
/** No tool and no argument is further away: whoever asks wants to know whether there are one key, two, or more. */
const MAX_KEYS = 3;

/** The path of an expression from the global `root`, through aliases and destructuring; undefined if it has none. */
export function pathOf(node: Node, root: string, scopes: Scopes, budget = MAX_ALIASES): Path | undefined {
  const expression = unwrap(node);
  if (expression.type === 'MemberExpression') {
    const base = pathOf(expression.object, root, scopes, budget);
    return base && { ...base, keys: longer(base.keys, [staticKey(expression)]) };
  }
  if (expression.type !== 'Identifier') return undefined;
  const binding = scopes.bindingOf.get(expression);
  if (!binding) return expression.name === root ? { keys: [], aliases: [] } : undefined;
  return pathOfBinding(binding, root, scopes, budget);
}

function longer(keys: Path['keys'], more: Path['keys']): Path['keys'] {
  return keys.length >= MAX_KEYS ? keys : [...keys, ...more].slice(0, MAX_KEYS);
}

/** The paths of local names, by root. A name that is used a thousand times is followed once. */
const known = new WeakMap<Binding, Map<string, Path | undefined>>();

function pathOfBinding(binding: Binding, root: string, scopes: Scopes, budget: number): Path | undefined {
  const paths = known.get(binding) ?? new Map<string, Path | undefined>();
  known.set(binding, paths);
  if (paths.has(root)) {
    const path = paths.get(root);
    return path && path.aliases.length <= budget ? path : undefined;
  }
  // `const a = a` refers to itself.
  if (!binding.origin || !binding.constant || budget === 0) return undefined;
  const origin = pathOf(binding.origin.init, root, scopes, budget - 1);
  const path = origin && {
    keys: longer(origin.keys, binding.origin.keys),
    aliases: [...origin.aliases, binding],
  };
  // Nothing may have been found for want of budget alone.
  if (path || budget === MAX_ALIASES) paths.set(root, path);
  return path;
}

/** An expression that reaches as far into a global as the code goes, and where it stands. */
export interface Reach {
  readonly path: Path;
  /** The whole expression, wrappers not included: the text that stands for the path. */
  readonly node: Node;
  /** What the expression is part of, wrappers skipped; undefined for a statement at the top. */
  readonly parent: Node | undefined;
}

/**
 * Every maximal expression that starts at the global `root`. `isComplete` says where a path ends by itself: what
 * follows (`.call`, `.name`) is a property of what was reached.
 */
export function reachesOf(
  program: Program,
  root: string,
  isComplete: (keys: Path['keys']) => boolean = () => false,
): Reach[] {
  const scopes = scopesOf(program);
  const found: Reach[] = [];
  for (const identifier of startsOf(root, scopes)) {
    const path = pathOf(identifier, root, scopes);
    if (path) found.push(climb(identifier, path, scopes, isComplete));
  }
  return found.sort((a, b) => a.node.start - b.node.start);
}

/** The identifiers a path may start at: the global itself, and every use of a name that stands for a part of it. */
function startsOf(root: string, scopes: Scopes): Identifier[] {
  const aliases = new Set<Binding>();
  for (const binding of scopes.bindingOf.values()) if (binding.origin) aliases.add(binding);
  const uses = [...aliases].flatMap(({ identifiers }) => identifiers);
  return [...(scopes.globals.get(root) ?? []), ...uses.filter((use) => !isDeclaration(use, scopes))];
}

function climb(
  start: Identifier,
  path: Path,
  scopes: Scopes,
  isComplete: (keys: Path['keys']) => boolean,
): Reach {
  let node: Node = start;
  let keys = path.keys;
  for (let at: Node = start; ; ) {
    const parent = scopes.parentOf.get(at);
    if (parent && isWrapper(parent)) {
      at = parent;
    } else if (parent?.type === 'MemberExpression' && parent.object === at && !isComplete(keys)) {
      keys = longer(keys, [staticKey(parent)]);
      node = parent;
      at = parent;
    } else {
      return { path: { ...path, keys }, node, parent };
    }
  }
}

/** True for the identifier that introduces a name, as opposed to one that uses it. */
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
