import { type Node, type Program, staticKey, unwrap } from '../syntax/ast.ts';
import { constantOf } from '../syntax/constants.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { executesSql, isReadCall } from './is-read-call.ts';
import type { KnownCall } from './known-calls.ts';
import { sqlTextOf } from './sql-texts.ts';

const MAY_BE_SQL = /sql|query|statement|command/i;

/** True for a call whose tool executes SQL, and whose SQL only reads as long as the values in it are nothing more. */
export function executesRead(program: Program, { call, name }: KnownCall): boolean {
  if (name === undefined || !executesSql(name) || call.arguments.length !== 1) return false;
  const [argument] = call.arguments;
  if (argument?.type !== 'ObjectExpression') return false;
  const passed: Record<string, unknown> = {};
  for (const property of argument.properties) {
    const key = property.type === 'Property' && property.kind === 'init' ? staticKey(property) : undefined;
    if (key === undefined || property.type !== 'Property') return false;
    const value = readable(program, property.value);
    if (value === undefined && MAY_BE_SQL.test(key)) return false;
    passed[key] = value;
  }
  return isReadCall(name, passed);
}

const A_READ = 'select 1';

/** The value of an argument; a statement that reads in the place of one that the code builds. */
function readable(program: Program, value: Node): unknown {
  const node = definitionOf(program, value);
  const constant = constantOf(node);
  if (constant !== undefined) return constant;
  return sqlTextOf(node)?.sql.isRead ? A_READ : undefined;
}

/** The expression that a constant holds. */
export function definitionOf(program: Program, value: Node): Node {
  const node = unwrap(value);
  const binding = node.type === 'Identifier' ? scopesOf(program).bindingOf.get(node) : undefined;
  return binding?.constant && binding.origin?.keys.length === 0 ? unwrap(binding.origin.init) : node;
}
