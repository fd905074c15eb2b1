import { isJsonObject, type JsonObject } from '../../json.ts';
import { isPureFunction } from './pure-functions.ts';
import { pathOf } from './tree.ts';

/** Parts of a select that change or lock something: a data-modifying `with`, `into`, `for update`. */
const CHANGES = new Set([
  'InsertStmt',
  'UpdateStmt',
  'DeleteStmt',
  'MergeStmt',
  'intoClause',
  'lockingClause',
]);

/**
 * SQL Server needs no semicolon between statements: it deletes in `select a delete from t`, where PostgreSQL reads a
 * column that is called `delete`.
 */
const CHANGING_WORDS = new Set(
  `insert update delete merge create alter drop truncate grant revoke exec execute commit rollback shutdown checkpoint
  reconfigure`.split(/\s+/),
);

/** Levels of the tree; some three hundred operators in a row make as many. A hostile text makes thousands. */
const MAX_DEPTH = 1000;

/** True if no statement can change anything; undefined if the tree is deeper than a recursive function should go. */
export function isRead(statements: readonly JsonObject[], words: readonly string[]): boolean | undefined {
  let changes =
    statements.some(({ stmt }) => !isJsonObject(stmt) || !('SelectStmt' in stmt)) ||
    words.some((word) => CHANGING_WORDS.has(word));
  const pending: [value: unknown, depth: number][] = [[statements, 0]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [value, depth] = next;
    if (depth > MAX_DEPTH) return undefined;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, part] of Object.entries(value)) {
      changes ||= CHANGES.has(key) || (isJsonObject(part) && isUnsafe(key, part));
      pending.push([part, depth + 1]);
    }
  }
  return !changes;
}

function isUnsafe(kind: string, body: JsonObject): boolean {
  if (kind === 'FuncCall') return !isPureFunction(pathOf(body.funcname));
  // An operator in a schema is a function of a user.
  if (kind === 'A_Expr') return pathOf(body.name).length > 1;
  // In Oracle `orders_seq.nextval` takes a number from a sequence.
  return kind === 'ColumnRef' && pathOf(body.fields).at(-1)?.toLowerCase() === 'nextval';
}
