import { isJsonObject } from '../../json.ts';
import { bodyOf, listOf, nodeOf, pathOf } from './tree.ts';

/** Functions whose result is still about their column, as in `lower(city) = 'oslo'`. */
const TRANSPARENT = new Set(
  'lower upper trim btrim ltrim rtrim unaccent date coalesce ifnull nvl abs round trunc floor ceil length'.split(
    ' ',
  ),
);
/** Operators that read a key of a document: `data->>'city'`. */
const READS_KEY = new Set(['->', '->>']);

/** Names what an expression is about, to name the value it is compared with: the column of `lower(u.city)`. */
export function columnName(expression: unknown): string | undefined {
  const [kind, body] = nodeOf(expression) ?? [];
  if (!body) return undefined;
  if (kind === 'ColumnRef') return pathOf(body.fields).at(-1) || undefined;
  if (kind === 'TypeCast' || kind === 'CollateClause' || kind === 'A_Indirection')
    return columnName(body.arg);
  if (kind === 'CoalesceExpr') return firstName(body.args);
  if (kind === 'A_Expr' && READS_KEY.has(pathOf(body.name)[0] ?? '')) return textOf(body.rexpr);
  if (kind !== 'FuncCall') return undefined;
  const name = pathOf(body.funcname).at(-1) ?? '';
  if (name === 'extract' || name === 'date_part') return textOf(listOf(body.args)[0]);
  if (name === 'count') return name;
  return TRANSPARENT.has(name) ? firstName(body.args) : undefined;
}

function firstName(args: unknown): string | undefined {
  for (const arg of listOf(args)) {
    const name = columnName(arg);
    if (name !== undefined) return name;
  }
  return undefined;
}

function textOf(constant: unknown): string | undefined {
  const { sval } = bodyOf(constant, 'A_Const') ?? {};
  const text = isJsonObject(sval) ? sval.sval : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
