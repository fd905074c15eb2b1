import type { CallNode, Node, Program } from '../syntax/ast.ts';
import { contains, type Position, positionsIn, type Span } from '../syntax/positions.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { type GlobalPath, type MemberChain, memberChainsOf } from './global-paths.ts';

/** A place where a program refers to a tool or capability: `mcp.fs.read(…)`, `const { read } = mcp.fs`. */
export interface McpReference {
  /** The name as the code spells it, `fs:readJson`; undefined if it is known only at run time. */
  readonly name: string | undefined;
  /** The keys as written: `['fs', 'readJson']`, `['fs:read_json@v1']`. */
  readonly keys: readonly (string | undefined)[];
  /** False for a function that is passed on, as in `paths.map(mcp.fs.read)`. */
  readonly called: boolean;
  /** True if the source alone tells the name. */
  readonly isStatic: boolean;
  /** The text of the reference: `mcp.fs.readJson`, or its local name. */
  readonly span: Span;
  /** One span per call argument; empty if not called. */
  readonly args: readonly Span[];
  readonly position: Position;
}

/** A reference with its place in the syntax tree, for use inside `code/`. */
export interface ReferenceNode extends McpReference {
  readonly node: Node;
  readonly call: CallNode | undefined;
  readonly path: GlobalPath;
  /** True for `const read = mcp.fs.read`: the uses of the local name are references themselves. */
  readonly isAliasDeclaration: boolean;
}

const cache = new WeakMap<Program, readonly ReferenceNode[]>();

/** Finds every reference to a tool or capability, however it is written, in source order. */
export function findReferences(program: Program): McpReference[] {
  return referenceNodesOf(program).map(({ name, keys, called, isStatic, span, args, position }) => {
    return { name, keys, called, isStatic, span, args, position };
  });
}

/** As `findReferences`, with syntax nodes. Cached per program. */
export function referenceNodesOf(program: Program): readonly ReferenceNode[] {
  const cached = cache.get(program);
  if (cached) return cached;
  const positionAt = positionsIn(program.source);
  const references = memberChainsOf(program, 'mcp', isComplete).flatMap(
    (chain) => referenceNodeOf(program, chain, positionAt) ?? [],
  );
  cache.set(program, references);
  return references;
}

/** True for the keys of `mcp.server.tool`, and for one key that holds a whole name. */
function isComplete(keys: GlobalPath['keys']): boolean {
  const [first] = keys;
  return keys.length >= 2 || (first !== undefined && WHOLE_NAME.test(first));
}

/** A name with a colon, or `org.project.namespace.action.hash`; a server may have dots in its name too. */
const WHOLE_NAME = /:|^[^.]+\.[^.]+\.[^.]+\.[^.]+\.[0-9a-f]{4,}(?:@|$)/;

function referenceNodeOf(
  program: Program,
  { path, node, parent }: MemberChain,
  positionAt: (offset: number) => Position,
): ReferenceNode | undefined {
  const called = parent?.type === 'CallExpression' && contains(parent.callee, node) ? parent : undefined;
  const isByName = called !== undefined && isCallByName(path, called);
  // The arguments of a call by name follow the name.
  const call = isByName ? undefined : called;
  const isAlias = parent?.type === 'VariableDeclarator' && isTracked(program, parent.id);
  // `const { fs } = mcp` refers to no tool yet; the uses of `fs` do.
  if (!call && isAlias && !isComplete(path.keys)) return undefined;
  // A property of a tool's function, such as `mcp.fs.read.name`, is no tool.
  if (path.keys.length > 2) return undefined;
  const isWhole = isComplete(path.keys) || (call !== undefined && path.keys.length === 1);
  const isStatic = isWhole && path.keys.every((key) => key !== undefined);
  return {
    name: isStatic ? path.keys.join(':') : undefined,
    keys: path.keys,
    called: call !== undefined,
    isStatic,
    span: { start: node.start, end: node.end },
    args: call?.arguments.map(({ start, end }) => ({ start, end })) ?? [],
    position: positionAt(node.start),
    node,
    call,
    path,
    isAliasDeclaration: isAlias && isComplete(path.keys),
  };
}

/** True for `mcp.call(name, …)`; `mcp.call({ … })` calls a capability of that name. */
function isCallByName({ keys }: GlobalPath, { arguments: [first] }: CallNode): boolean {
  return keys.length === 1 && keys[0] === 'call' && first !== undefined && first.type !== 'ObjectExpression';
}

/** True if the uses of every name in a declaration can be found. */
function isTracked(program: Program, pattern: Node): boolean {
  if (pattern.type === 'Identifier') return scopesOf(program).bindingOf.get(pattern)?.constant === true;
  if (pattern.type !== 'ObjectPattern') return false;
  return pattern.properties.every((property) => {
    const isPlain = property.type === 'Property' && (!property.computed || property.key.type === 'Literal');
    return isPlain && isTracked(program, property.value);
  });
}
