import type { Json, JsonSchema } from '../../json.ts';
import { matchesSchema } from '../schema/match-value.ts';
import { fitsSqlPattern, sqlHoleSchema, UNQUOTED_TEXT_PATTERN } from '../sql/sql-hole.ts';
import type { Node } from '../syntax/ast.ts';
import type { Occurrence } from './occurrence.ts';

/** Literals that one parameter replaces. */
interface SqlGroup {
  readonly value: Json;
  readonly occurrences: readonly Occurrence[];
}

/** Literals that code pastes into SQL as they are, and the values that may stand there instead. */
export type Pasted = ReadonlyMap<Node, JsonSchema>;

/** The values that a group may have where its literals stand in SQL; undefined if they stand in none. */
export function sqlSchemaOf({ occurrences, value }: SqlGroup, pasted: Pasted): JsonSchema | undefined {
  let schema: JsonSchema | undefined;
  for (const { node, sql } of occurrences) {
    const own = sql ? sqlHoleSchema(sql.literal) : pasted.get(node);
    if (own) schema = narrowed(schema, own);
  }
  return schema && Array.isArray(value) ? { type: 'array', items: schema } : schema;
}

/** True if a group can be a parameter: its own value is one that may stand in the SQL. */
export function fitsSql(group: SqlGroup, pasted: Pasted): boolean {
  const schema = sqlSchemaOf(group, pasted);
  return schema === undefined || acceptsValue(schema, group.value);
}

export function acceptsValue(schema: JsonSchema, value: Json): boolean {
  if (Array.isArray(value))
    return (value as Json[]).every((item) => acceptsValue(schema.items as JsonSchema, item));
  if (!matchesSchema(schema, value)) return false;
  return typeof value !== 'string' || fitsSqlPattern(schema.pattern, value);
}

/** Narrows a schema to the values that stand in SQL. Unlike `intersectSchemas`, it never drops what keeps them there. */
export function narrowed(schema: JsonSchema | undefined, sql: JsonSchema): JsonSchema {
  if (!schema) return sql;
  const lowest = [schema.minimum, sql.minimum].filter((one) => typeof one === 'number');
  const highest = [schema.maximum, sql.maximum].filter((one) => typeof one === 'number');
  return {
    ...schema,
    ...sql,
    ...(schema.type === 'integer' && sql.type === 'number' && { type: 'integer' }),
    // A text that is pasted as it is has no quotes at all.
    ...(schema.pattern === UNQUOTED_TEXT_PATTERN && { pattern: schema.pattern }),
    ...(lowest.length > 0 && { minimum: Math.max(...lowest) }),
    ...(highest.length > 0 && { maximum: Math.min(...highest) }),
  };
}
