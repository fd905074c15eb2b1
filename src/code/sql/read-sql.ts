import { isJsonObject, type JsonObject } from '../../json.ts';
import { checkDialects } from './check-dialects.ts';
import { type FoundConstant, findConstants } from './find-constants.ts';
import { isRead } from './is-read.ts';
import { parseSql } from './parse-sql.ts';
import { isPlainText, type SqlLiteral, sqlText } from './sql-hole.ts';

export interface SqlReading {
  /** True if the statements change nothing: selects without `into`, locks, changes in `with`, and unknown functions. */
  readonly isRead: boolean;
  /** In the order of the text. */
  readonly literals: readonly SqlLiteral[];
}

/** Words that begin a statement. Those that also begin sentences (`show`, `begin`, `set`) are not among them. */
const OPENINGS = new Set(
  'select with values insert update delete merge create alter drop truncate grant revoke explain copy'.split(
    ' ',
  ),
);
const FIRST_WORD = /^[\s(]*([a-z]+)/i;
const NUMBER = /\d[\w.]*/y;
const STRING = /'(?:[^']|'')*'/y;

/**
 * Reads SQL with PostgreSQL's parser; undefined if it refuses the text, or if databases would read it in different ways.
 * Backticks of MySQL and much of SQLite's SQL are understood.
 */
export function readSql(text: string): SqlReading | undefined {
  // Most texts are no SQL, and need neither scanner nor parser to tell. Comments may come first, though.
  const word = FIRST_WORD.exec(text)?.[1]?.toLowerCase();
  if (word !== undefined && !OPENINGS.has(word)) return undefined;
  const sql = checkDialects(text);
  if (!sql || !OPENINGS.has(sql.words[0] ?? '')) return undefined;
  const statements = parseSql(sql.text);
  if (!statements || statements.length === 0) return undefined;
  const read = isRead(statements, sql.words);
  if (read === undefined) return undefined;
  const found = statements.flatMap(({ stmt }) => findConstants(stmt)).sort((a, b) => a.byte - b.byte);
  return { isRead: read, literals: plainLiterals(sql.text, found) };
}

/** True if the text is SQL that changes nothing. */
export function isReadSql(text: string): boolean {
  return readSql(text)?.isRead ?? false;
}

function plainLiterals(text: string, constants: readonly FoundConstant[]): SqlLiteral[] {
  const bytes = Buffer.from(text);
  const literals: SqlLiteral[] = [];
  let [byte, index] = [0, 0];
  for (const constant of constants) {
    index += bytes.toString('utf8', byte, constant.byte).length;
    byte = constant.byte;
    const literal = plainText(text, index, constant) ?? plainNumber(text, index, constant);
    if (literal) literals.push(literal);
  }
  return literals;
}

/** A text in plain quotes that the hole would spell just so. `E'…'` begins with the `E`, and `year` in `extract` has no quotes. */
function plainText(text: string, start: number, { node, ...place }: FoundConstant): SqlLiteral | undefined {
  const written = matchAt(STRING, text, start);
  if (written === undefined || !isJsonObject(node.sval)) return undefined;
  const value = written.slice(1, -1).replaceAll("''", "'");
  // Strings on two lines are one constant.
  if (value !== (node.sval.sval ?? '') || !isPlainText(value) || sqlText(value) !== written) return undefined;
  return { start, end: start + written.length, value, kind: 'text', ...nameIn(place) };
}

/** A number that JavaScript spells just so: not `1.50`, `007` or one with more digits than it can hold. */
function plainNumber(
  text: string,
  start: number,
  { node, isInteger, ...place }: FoundConstant,
): SqlLiteral | undefined {
  const written = matchAt(NUMBER, text, start);
  if (written === undefined || !isNumber(node) || String(Number(written)) !== written) return undefined;
  const end = start + written.length;
  const wantsInteger = isInteger === true && Number.isInteger(Number(written));
  return {
    start,
    end,
    value: Number(written),
    kind: 'number',
    ...nameIn(place),
    ...(wantsInteger && { isInteger: true }),
    ...(place.column !== 'limit' &&
      place.column !== 'offset' &&
      mayBeNegative(text, start, end) && { isSigned: true }),
  };
}

function nameIn({
  column,
  bound,
}: Pick<FoundConstant, 'column' | 'bound'>): Pick<SqlLiteral, 'column' | 'bound'> {
  return { ...(column !== undefined && { column }), ...(bound !== undefined && { bound }) };
}

function isNumber(node: JsonObject): boolean {
  return 'ival' in node || 'fval' in node;
}

const SIGN_MAY_FOLLOW = /(?:[(,]|(?:[=<>(,]|\b(?:between|and))\s)\s*$/i;
const SIGN_MAY_PRECEDE = /^\s*(?:[),;]|[a-z]|$)/i;
/** Far enough to see the token before a number and the one after it. */
const NEIGHBOURHOOD = 40;

/**
 * A minus sign must not meet another one, which begins a comment, nor an operator that it would become a part of, as in
 * `a !=-5`. An operator after the number may bind closer than the sign.
 */
function mayBeNegative(text: string, start: number, end: number): boolean {
  return (
    SIGN_MAY_FOLLOW.test(text.slice(Math.max(0, start - NEIGHBOURHOOD), start)) &&
    SIGN_MAY_PRECEDE.test(text.slice(end, end + NEIGHBOURHOOD))
  );
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
