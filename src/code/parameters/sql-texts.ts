import { type BuiltSql, readBuiltSql } from '../sql/read-built-sql.ts';
import type { SqlLiteral } from '../sql/sql-hole.ts';
import { type Node, stringValue, unwrap } from '../syntax/ast.ts';

/** One fixed part of a text, or an expression whose value is another part. */
export interface TextPart {
  readonly node: Node;
  /** Undefined for an expression. */
  readonly text: string | undefined;
}

/** SQL that a program passes to a tool. */
export interface SqlText {
  readonly node: Node;
  readonly parts: readonly TextPart[];
  readonly sql: BuiltSql;
}

/** A constant in an SQL text of a program. */
export interface SqlConstant {
  readonly part: TextPart & { readonly text: string };
  readonly literal: SqlLiteral;
}

const MAX_PARTS = 200;

/** Reads the SQL that an expression spells out or puts together. */
export function sqlTextOf(node: Node): SqlText | undefined {
  const parts = textPartsOf(node);
  const sql = parts && readBuiltSql(parts.map(({ text }) => text));
  return sql && { node, parts, sql };
}

/** The parts of a literal, a template or a sum that begins with one of them, in order. */
function textPartsOf(node: Node): TextPart[] | undefined {
  const parts: TextPart[] = [];
  const pending = [node];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const inner = unwrap(next);
    if (parts.length > MAX_PARTS) return undefined;
    if (inner.type === 'BinaryExpression' && inner.operator === '+') pending.push(inner.right, inner.left);
    else if (inner.type === 'TemplateLiteral') parts.push(...partsOfTemplate(inner));
    else parts.push({ node: inner, text: stringValue(inner) });
  }
  // Numbers in front of the first text would be added up.
  return parts[0]?.text === undefined ? undefined : parts;
}

function partsOfTemplate({ quasis, expressions }: Extract<Node, { type: 'TemplateLiteral' }>): TextPart[] {
  return quasis.flatMap((quasi, at) => {
    const fixed = { node: quasi, text: quasi.value.cooked ?? quasi.value.raw };
    const expression = expressions[at];
    return expression ? [fixed, { node: expression, text: undefined }] : [fixed];
  });
}
