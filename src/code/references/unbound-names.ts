import { isWrapper, type Node, type Program } from '../syntax/ast.ts';
import { offsetOf, type Position, positionAt } from '../syntax/positions.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';

/** Names that a program uses without declaring them, because its author expects the tools to be globals. */
export interface UnboundNames {
  /** Called as functions: `mcp__fs__read({ … })`, `fs__read({ … })`, `read({ … })`. */
  readonly called: readonly string[];
  /** Used as objects whose methods are called: `fs.read({ … })`. */
  readonly objects: readonly string[];
}

const MAX_NAMES = 100;
const MAX_LENGTH = 200;
/** The language's own names, and those of PML. */
const KNOWN = new Set([...Object.getOwnPropertyNames(globalThis), 'mcp', 'args', 'pml', 'undefined']);

/** Lists the names that may be meant as tools or servers. */
export function unboundNames(program: Program): UnboundNames {
  const { globals, parentOf } = scopesOf(program);
  const called: string[] = [];
  const objects: string[] = [];
  for (const [name, uses] of globals) {
    if (KNOWN.has(name) || name.length > MAX_LENGTH) continue;
    const roles = uses.map((use) => roleOf(use, parentOf));
    // A function may also be passed on: `paths.map(mcp__fs__read)`.
    if (roles.includes('called') || (name.includes('__') && roles.includes('value'))) called.push(name);
    else if (roles.every((role) => role === 'object')) objects.push(name);
  }
  return { called: called.slice(0, MAX_NAMES), objects: objects.slice(0, MAX_NAMES) };
}

/** Finds where a program uses a name that it does not declare. V8 reports the statement that holds it. */
export function unboundUse(program: Program, name: string, statement: Position): Position {
  const offset = offsetOf(program.source, statement);
  const uses = scopesOf(program).globals.get(name) ?? [];
  const starts = uses.map(({ start }) => start).filter((start) => start >= offset);
  return starts.length > 0 ? positionAt(program.source, Math.min(...starts)) : statement;
}

function roleOf(use: Node, parentOf: ReadonlyMap<Node, Node>): 'called' | 'object' | 'value' {
  let node = use;
  let parent = parentOf.get(node);
  while (parent && isWrapper(parent)) {
    node = parent;
    parent = parentOf.get(node);
  }
  if (parent?.type === 'CallExpression' && parent.callee === node) return 'called';
  if (parent?.type !== 'MemberExpression' || parent.object !== node) return 'value';
  const outer = parentOf.get(parent);
  return outer?.type === 'CallExpression' && outer.callee === parent ? 'object' : 'value';
}
