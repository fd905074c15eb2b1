import { findSecrets } from '../../secrets/index.ts';
import { classifyLiteral, MAX_DEFAULT } from '../literals/classify-literal.ts';
import { changeableConstants } from '../sql/read-built-sql.ts';
import type { SqlLiteral } from '../sql/sql-hole.ts';
import type { Node, Program } from '../syntax/ast.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import type { SecretsOfRun } from './extract-secrets.ts';
import type { Occurrence } from './occurrence.ts';
import { quasiStart } from './program-texts.ts';
import type { SqlConstant, SqlText, TextPart } from './sql-texts.ts';

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
