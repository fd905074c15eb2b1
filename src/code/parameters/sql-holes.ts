import type { JsonSchema } from '../../json.ts';
import { pathOf } from '../references/global-paths.ts';
import { type SqlLiteral, sqlHoleSchema } from '../sql/sql-hole.ts';
import { type Node, type Program, staticKey, stringValue, unwrap, valueChildren } from '../syntax/ast.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { narrowed } from './sql-schemas.ts';
import { sqlTextOf } from './sql-texts.ts';

/**
 * Finds the arguments that code writes into SQL as PML does, and the values that may stand there: code of a capability that
 * somebody edited and sent again keeps its values in their places.
 */
export function schemasFromSql(program: Program): ReadonlyMap<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  const pending: Node[] = [...program.body];
  for (let node = pending.pop(); node; node = pending.pop()) {
    pending.push(...valueChildren(node));
    if (node.type !== 'TemplateLiteral' || node.expressions.length === 0) continue;
    const text = sqlTextOf(node);
    for (const [at, literal] of text?.sql.values ?? []) {
      const name = argumentIn(program, text?.parts[at]?.node, literal);
      if (name !== undefined) found.set(name, narrowed(found.get(name), sqlHoleSchema(literal)));
    }
  }
  return found;
}

/** The `x` of `args.x` in the place of a number, and of `args.x.replaceAll("'", "''")` within quotes. */
function argumentIn(
  program: Program,
  expression: Node | undefined,
  { kind }: SqlLiteral,
): string | undefined {
  const value = expression && (kind === 'number' ? expression : escapedBy(expression));
  const keys = value && pathOf(value, 'args', scopesOf(program))?.keys;
  return keys?.length === 1 ? keys[0] : undefined;
}

function escapedBy(expression: Node): Node | undefined {
  const node = unwrap(expression);
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  const [quote, doubled] = node.arguments.map(stringValue);
  const isEscape = staticKey(node.callee) === 'replaceAll' && quote === "'" && doubled === "''";
  return isEscape ? node.callee.object : undefined;
}
