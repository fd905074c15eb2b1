import { readSql } from './read-sql.ts';
import type { SqlLiteral } from './sql-hole.ts';

/** A constant that stands in one of the fixed parts of a text. */
export interface PartConstant {
  readonly part: number;
  /** Its span is that in the part. */
  readonly literal: SqlLiteral;
}

/** SQL that code puts together. */
export interface BuiltSql {
  /** True if it changes nothing, as long as each value is one that `pastedSchema` accepts. */
  readonly isRead: boolean;
  readonly constants: readonly PartConstant[];
  /** The literal that each value is, or is a part of, by the part that it is. */
  readonly values: ReadonlyMap<number, SqlLiteral>;
}

interface Place {
  readonly part: number;
  readonly start: number;
  readonly end: number;
  readonly isFixed: boolean;
}

/** More numbers than any statement holds by chance: those that stand for values begin here. They fit in 32 bits. */
const FIRST_NUMBER = 1_900_000_000;

/** Reads SQL of which some parts are known only at run time. Undefined if such a part may be more than a value. */
export function readBuiltSql(parts: readonly (string | undefined)[]): BuiltSql | undefined {
  let text = '';
  const places: Place[] = [];
  for (const [part, fixed] of parts.entries()) {
    const start = text.length;
    text += fixed ?? standIn(part, isInQuotes(text));
    places.push({ part, start, end: text.length, isFixed: fixed !== undefined });
  }
  const sql = readSql(text);
  if (!sql) return undefined;
  const values = valuesIn(places, sql.literals);
  return values && { isRead: sql.isRead, constants: constantsIn(places, sql.literals), values };
}

function standIn(part: number, isText: boolean): string {
  return isText ? `x${part}x` : String(FIRST_NUMBER + part);
}

/** A quote within a comment misleads it; then the parser finds no literal where the value stands. */
function isInQuotes(before: string): boolean {
  return before.split("'").length % 2 === 0;
}

function valuesIn(
  places: readonly Place[],
  literals: readonly SqlLiteral[],
): Map<number, SqlLiteral> | undefined {
  const values = new Map<number, SqlLiteral>();
  for (const { part, start, end, isFixed } of places) {
    if (isFixed) continue;
    const literal = literals.find((one) => one.start <= start && end <= one.end);
    // Digits before or after it would be a part of the same number.
    if (!literal || (literal.kind === 'number' && literal.end - literal.start > end - start))
      return undefined;
    values.set(part, literal);
  }
  return values;
}

function constantsIn(places: readonly Place[], literals: readonly SqlLiteral[]): PartConstant[] {
  return literals.flatMap((literal) => {
    const place = places.find(({ start, end }) => start <= literal.start && literal.end <= end);
    if (!place?.isFixed) return [];
    const { start, end } = { start: literal.start - place.start, end: literal.end - place.start };
    return { part: place.part, literal: { ...literal, start, end } };
  });
}

/** The constants whose values may change, one or all: with others in their places, the text is read in the same way. */
export function changeableConstants(
  parts: readonly (string | undefined)[],
  constants: readonly PartConstant[],
): readonly PartConstant[] {
  const split: (string | undefined)[] = [];
  const at: number[] = [];
  for (const [part, fixed] of parts.entries()) {
    let done = 0;
    for (const { literal } of constants.filter((one) => one.part === part)) {
      const margin = literal.kind === 'text' ? 1 : 0;
      split.push(fixed?.slice(done, literal.start + margin), undefined);
      at.push(split.length - 1);
      done = literal.end - margin;
    }
    split.push(fixed?.slice(done));
  }
  const values = readBuiltSql(split)?.values;
  return constants.filter(({ literal }, index) => {
    const again = values?.get(at[index] as number);
    return (
      again?.kind === literal.kind &&
      again.isInteger === literal.isInteger &&
      again.isSigned === literal.isSigned
    );
  });
}
