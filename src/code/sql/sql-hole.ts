import type { JsonSchema } from '../../json.ts';

/** A constant of an SQL text that is data and can be replaced by another value of its type. */
export interface SqlLiteral {
  /** Its span in the text, quotes included. */
  readonly start: number;
  readonly end: number;
  readonly value: string | number;
  readonly kind: 'text' | 'number';
  /** The column that it is compared with or assigned to, or `limit` and `offset`; absent where that is not plain. */
  readonly column?: string;
  /** The least or the greatest value that the column may have. */
  readonly bound?: 'min' | 'max';
  /** True where the database takes integers alone. */
  readonly isInteger?: boolean;
  /** True where a minus sign may stand. */
  readonly isSigned?: boolean;
}

/** In characters. With a few such texts a statement is still one that a database takes. */
const MAX_TEXT = 4_000;

/**
 * Texts that every database reads alike once their quotes are doubled: without backslashes, which MySQL takes for
 * escapes, without control characters and halves of characters, and without a quote first, last or beside another,
 * since BigQuery takes three quotes in a row for the begin of another string. The expression needs the flag `u`, as JSON
 * Schema demands.
 */
const PLAIN_TEXT = /^(?:[^'\\\p{Cc}\p{Cs}]+(?:'[^'\\\p{Cc}\p{Cs}]+)*)?$/u;
export const SQL_TEXT_PATTERN = PLAIN_TEXT.source;

/** True if a text may stand in an SQL string of any database. */
export function isPlainText(text: string): boolean {
  return text.length <= MAX_TEXT && PLAIN_TEXT.test(text);
}

/** Spells a text as an SQL string. */
export function sqlText(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/**
 * The text that stands for a literal in a template: it puts the value of an expression there, escaped. It is safe only for
 * values that `sqlHoleSchema` accepts.
 */
export function sqlHole({ kind }: SqlLiteral, expression: string): { text: string } {
  return { text: kind === 'text' ? `'\${${expression}.replaceAll("'", "''")}'` : `\${${expression}}` };
}

/** Texts that need no escapes: those that code pastes between quotes as they are. */
const UNQUOTED_TEXT = /^[^'\\\p{Cc}\p{Cs}]*$/u;
export const UNQUOTED_TEXT_PATTERN = UNQUOTED_TEXT.source;

/** True if a text fits the pattern, or if the pattern is none of these. */
export function fitsSqlPattern(pattern: unknown, text: string): boolean {
  if (pattern === SQL_TEXT_PATTERN) return PLAIN_TEXT.test(text);
  return pattern !== UNQUOTED_TEXT_PATTERN || UNQUOTED_TEXT.test(text);
}

/** Says which texts a pattern takes; undefined for a pattern that is none of these. */
export function describeSqlPattern(pattern: unknown): string | undefined {
  const taken = new Map<unknown, string>([
    [SQL_TEXT_PATTERN, 'no quote at its ends or beside another one'],
    [UNQUOTED_TEXT_PATTERN, 'no quote'],
  ]).get(pattern);
  return taken && `is written into SQL, so it must have no backslash, no control characters and ${taken}`;
}

/** The values that code may paste in the place of a literal, or within its quotes, as they are. */
export function pastedSchema(literal: SqlLiteral): JsonSchema {
  if (literal.kind === 'number') return sqlHoleSchema(literal);
  return { type: 'string', maxLength: MAX_TEXT, pattern: UNQUOTED_TEXT_PATTERN };
}

/** The values that may be put in the place of a literal. */
export function sqlHoleSchema({ kind, isInteger, isSigned }: SqlLiteral): JsonSchema {
  if (kind === 'text') return { type: 'string', maxLength: MAX_TEXT, pattern: SQL_TEXT_PATTERN };
  return {
    type: isInteger ? 'integer' : 'number',
    ...(!isSigned && { minimum: 0 }),
    ...(isInteger && { maximum: Number.MAX_SAFE_INTEGER }),
  };
}
