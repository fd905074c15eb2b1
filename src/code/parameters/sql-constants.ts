import { findSecrets } from '../../secrets/index.ts';
import { classifyLiteral, MAX_DEFAULT } from '../literals/classify-literal.ts';
import { type BuiltSql, changeableConstants, readBuiltSql } from '../sql/read-built-sql.ts';
import type { SqlLiteral } from '../sql/sql-hole.ts';
import { type Node, type Program, stringValue, unwrap } from '../syntax/ast.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import type { SecretsOfRun } from './extract-secrets.ts';
import type { Occurrence } from './literal-survey.ts';
import { quasiStart } from './program-texts.ts';

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

/** Lists the constants of a text that only reads, as literals of the program. */
export function constantsOfSql(
  program: Program,
  { node, parts, sql }: SqlText,
  { matcher }: SecretsOfRun,
): Occurrence[] {
  const written = parts.map(({ text }) => text ?? ' ').join('');
  const isSecret = matcher.in(written) !== undefined || findSecrets(written).length > 0;
  if (!sql.isRead || isSecret || scopesOf(program).isShadowed(node, 'args')) return [];
  const texts = parts.map(({ text }) => text);
  return changeableConstants(texts, sql.constants).flatMap(({ part: at, literal }) => {
    const { node: within, text } = parts[at] as TextPart;
    const span = text === undefined ? undefined : spanOf(program, within, text, literal);
    return span && text !== undefined && isData(literal)
      ? [occurrenceOf({ part: { node: within, text }, literal }, { ...within, ...span })]
      : [];
  });
}

function isData({ value, column }: SqlLiteral): boolean {
  if (typeof value === 'string' && value.length > MAX_DEFAULT) return false;
  return classifyLiteral({ value, key: column }).kind !== 'secret';
}

function occurrenceOf(constant: SqlConstant, node: Node): Occurrence {
  const { value, column, bound } = constant.literal;
  const key = bound && column !== undefined ? `${bound}_${column}` : column;
  return {
    node,
    value,
    role:
      key === undefined ? { kind: 'used', key, isTerm: typeof value === 'number' } : { kind: 'named', key },
    places: [],
    isDemanded: false,
    classified: { kind: 'data', rule: 'constant of SQL', by: 'value', key },
    isReplaceable: true,
    sql: constant,
  };
}

/** Where a constant stands in the source; undefined within a template whose escapes hide it. */
function spanOf(
  { source }: Program,
  node: Node,
  text: string,
  { start, end }: SqlLiteral,
): { start: number; end: number } | undefined {
  if (node.type !== 'TemplateElement') {
    // A literal is written anew, so its order in the source is enough. Escapes only make the source longer.
    return { start: node.start + 1 + start, end: node.start + 1 + end };
  }
  const at = node.value.raw === text ? quasiStart(source, node, text) : undefined;
  return at === undefined ? undefined : { start: at + start, end: at + end };
}
