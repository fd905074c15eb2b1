import { type Node, type Program, staticKey, unwrap, valueChildren } from '../syntax/ast.ts';
import type { Binding } from '../syntax/scope.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';

/**
 * The expression that reads a part of a call's result in these places, such as `session.auth.token`; undefined if one of them has
 * no name for the result.
 */
export function readOfResult(
  program: Program,
  call: Node,
  path: readonly string[],
  places: readonly Node[],
): string | undefined {
  for (const binding of new Set(scopesOf(program).bindingOf.values())) {
    const keys = binding.constant ? keysOfResult(binding, call) : undefined;
    if (!keys?.every((key, index) => key === path[index]) || keys.length > path.length) continue;
    if (!isTheOnly(binding, program) || !places.every((node) => isAfter(node, binding, program))) continue;
    return path.slice(keys.length).reduce(memberOf, binding.name);
  }
  return undefined;
}

function memberOf(object: string, key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `${object}.${key}` : `${object}[${JSON.stringify(key)}]`;
}

/** The path of the part of a call's result that a name gets, in `const { auth } = await mcp.desk.login(…)`. */
function keysOfResult({ origin }: Binding, call: Node): string[] | undefined {
  if (!origin) return undefined;
  const keys = [...origin.keys];
  let at = unwrap(origin.init);
  while (at.type === 'MemberExpression') {
    const key = staticKey(at);
    if (key === undefined) return undefined;
    keys.unshift(key);
    at = unwrap(at.object);
  }
  return at.type === 'AwaitExpression' && unwrap(at.argument) === call ? keys : undefined;
}

/** True if its name means nothing else in any part of the program. */
function isTheOnly(binding: Binding, program: Program): boolean {
  const { bindingOf, globals } = scopesOf(program);
  if (globals.has(binding.name)) return false;
  return [...bindingOf.values()].every((one) => one === binding || one.name !== binding.name);
}

/** True if the name has its value wherever this node is evaluated. */
function isAfter(node: Node, { origin }: Binding, program: Program): boolean {
  if (!origin || node.start < origin.init.end) return false;
  const { parentOf } = scopesOf(program);
  // A declared function can be called above its declaration.
  for (let at = parentOf.get(node); at; at = parentOf.get(at))
    if (at.type === 'FunctionDeclaration') return false;
  return true;
}

const SETTERS = new Set(['assign', 'defineProperty', 'defineProperties', 'setPrototypeOf']);

/** True if the program may change an object, and with it a result that a call returned. */
export function changesObjects(program: Program): boolean {
  if (scopesOf(program).globals.has('Reflect')) return true;
  const pending: Node[] = [...program.body];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (changesObject(node)) return true;
    pending.push(...valueChildren(node));
  }
  return false;
}

function changesObject(node: Node): boolean {
  switch (node.type) {
    case 'AssignmentExpression':
      return node.left.type !== 'Identifier';
    case 'UpdateExpression':
      return node.argument.type !== 'Identifier';
    case 'UnaryExpression':
      return node.operator === 'delete';
    case 'ForInStatement':
    case 'ForOfStatement':
      return node.left.type !== 'VariableDeclaration';
    case 'MemberExpression':
      return SETTERS.has(staticKey(node) ?? '');
    default:
      return false;
  }
}
