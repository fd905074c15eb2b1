import type { CallNode, Node, Program } from '../syntax/ast.ts';
import { type Position, positionsIn, type Span } from '../syntax/positions.ts';
import { scopesOf } from '../syntax/scope.ts';
import { type Path, type Reach, reachesOf } from './global-paths.ts';

/** One place where a program reaches for something behind `mcp`. */
export interface McpReference {
  /** As the code spells it, `fs:readJson`; undefined where only the run can tell. */
  readonly name: string | undefined;
  /** The keys as written: `['fs', 'readJson']`, `['fs:read_json@v1']`. */
  readonly parts: readonly (string | undefined)[];
  /** False for a value that is handed on, as in `paths.map(mcp.fs.read)`. */
  readonly called: boolean;
  /** True if the source alone tells what is meant. */
  readonly isStatic: boolean;
  /** The text that stands for the reference: `mcp.fs.readJson`, or the local name it was given. */
  readonly span: Span;
  /** One a call argument; empty if not called. */
  readonly args: readonly Span[];
  readonly position: Position;
}

/** A reference with its place in the tree, for the rest of this room. */
export interface Site extends McpReference {
  readonly node: Node;
  readonly call: CallNode | undefined;
  readonly path: Path;
  /** Its value became a local name whose uses are references themselves. */
  readonly isNamed: boolean;
}

const known = new WeakMap<Program, readonly Site[]>();

/** Every reference to a tool or capability, in the order of the source, however it is written. */
export function findReferences(program: Program): McpReference[] {
  return sitesOf(program).map(({ name, parts, called, isStatic, span, args, position }) => {
    return { name, parts, called, isStatic, span, args, position };
  });
}

export function sitesOf(program: Program): readonly Site[] {
  const before = known.get(program);
  if (before) return before;
  const positionAt = positionsIn(program.source);
  const sites = reachesOf(program, 'mcp', isComplete).flatMap(
    (reach) => siteOf(program, reach, positionAt) ?? [],
  );
  known.set(program, sites);
  return sites;
}

/** `mcp.server.tool`, or one key that holds a whole name. */
function isComplete(keys: Path['keys']): boolean {
  const [first] = keys;
  return keys.length >= 2 || (first !== undefined && WHOLE_NAME.test(first));
}

/** With a colon, or `org.project.namespace.action.hash`; a server may have dots in its name too. */
const WHOLE_NAME = /:|^[^.]+\.[^.]+\.[^.]+\.[^.]+\.[0-9a-f]{4,}(?:@|$)/;

function siteOf(
  program: Program,
  { path, node, parent }: Reach,
  positionAt: (offset: number) => Position,
): Site | undefined {
  const call = parent?.type === 'CallExpression' && holds(parent.callee, node) ? parent : undefined;
  const isNamed = parent?.type === 'VariableDeclarator' && isTracked(program, parent.id);
  // `const { fs } = mcp` alone reaches for nothing yet; the uses of `fs` do. A destructured name that takes a
  // property of a function reaches for no tool.
  if (!call && isNamed && !isComplete(path.keys)) return undefined;
  if (path.keys.length > 2) return undefined;
  const isWhole = isComplete(path.keys) || (call !== undefined && path.keys.length === 1);
  const isStatic = isWhole && path.keys.every((key) => key !== undefined);
  return {
    name: isStatic ? path.keys.join(':') : undefined,
    parts: path.keys,
    called: call !== undefined,
    isStatic,
    span: { start: node.start, end: node.end },
    args: call?.arguments.map(({ start, end }) => ({ start, end })) ?? [],
    position: positionAt(node.start),
    node,
    call,
    path,
    isNamed: isNamed && isComplete(path.keys),
  };
}

function holds(outer: Node, inner: Node): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

/** True if every name a declaration gives its value is followed to its uses. */
function isTracked(program: Program, pattern: Node): boolean {
  if (pattern.type === 'Identifier') return scopesOf(program).bindingOf.get(pattern)?.constant === true;
  if (pattern.type !== 'ObjectPattern') return false;
  return pattern.properties.every((property) => {
    const isPlain = property.type === 'Property' && (!property.computed || property.key.type === 'Literal');
    return isPlain && isTracked(program, property.value);
  });
}
