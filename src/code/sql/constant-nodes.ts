import { isJsonObject, type JsonObject } from '../../json.ts';
import { bodyOf, nodeOf, pathOf } from './tree.ts';

/** Types whose texts are data. The text of an `interval` or `regclass` says what the statement does. */
const DATA_TYPES = new Set(
  `date time timetz timestamp timestamptz datetime text varchar char uuid int2 int4 int8 integer bigint smallint numeric
  decimal float4 float8 money inet citext`.split(/\s+/),
);

/** Returns the constant that an expression is, be it cast to a type of data or collated. */
export function constantOf(value: unknown): JsonObject | undefined {
  const [kind, body] = nodeOf(value) ?? [];
  if (!body) return undefined;
  if (kind === 'A_Const') return body;
  if (kind === 'CollateClause') return constantOf(body.arg);
  if (kind !== 'TypeCast' || !isJsonObject(body.typeName)) return undefined;
  const { names, arrayBounds } = body.typeName;
  const isData = arrayBounds === undefined && DATA_TYPES.has(pathOf(names).at(-1)?.toLowerCase() ?? '');
  return isData ? constantOf(body.arg) : undefined;
}

/** Lists the values of all constants in a part of the tree. */
export function constantsIn(part: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const pending = [part];
  while (pending.length > 0) {
    const value = pending.pop();
    const constant = bodyOf(value, 'A_Const');
    if (constant) found.add(valueKey(constant));
    else if (typeof value === 'object' && value !== null) pending.push(...Object.values(value));
  }
  return found;
}

/** Equal for constants of one type and value, wherever they stand. */
export function valueKey({ location: _, ...value }: JsonObject): string {
  return JSON.stringify(value);
}
