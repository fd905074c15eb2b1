import { Budget } from '../../budget.ts';
import { isJsonSchema, type JsonSchema, requiredOf, typesOf } from '../../json.ts';
import { SQL_TEXT_PATTERN, UNQUOTED_TEXT_PATTERN } from '../sql/sql-hole.ts';

/** Bundles must not be nested deeper either. */
const MAX_DEPTH = 40;
const SQL_PATTERNS = new Set<unknown>([SQL_TEXT_PATTERN, UNQUOTED_TEXT_PATTERN]);
/** A validator takes about 0.1 ms to compile one node. */
const MAX_NODES = 300;

export interface SanitiseOptions {
  readonly budget?: Budget;
  /** How many levels are read. */
  readonly depth?: number;
}

/**
 * Makes a stored schema safe to compile: keeps only the keywords that PML itself writes, if they are well-formed. Drops
 * references, and patterns, which could run for ever; only those that keep a text inside its SQL string stay. Where a
 * keyword is dropped, any value passes. Defaults always stay, since the code relies on them, and so do the patterns and
 * the types of numbers: code may write such values into SQL.
 */
export function sanitiseSchema(
  schema: JsonSchema,
  { budget = new Budget({ nodes: MAX_NODES }), depth = MAX_DEPTH }: SanitiseOptions = {},
): JsonSchema {
  const defaults = { ...guardOf(schema), ...(schema.default !== undefined && { default: schema.default }) };
  if (depth === 0 || !budget.node()) return defaults;
  const inner = (part: unknown) =>
    isJsonSchema(part) ? sanitiseSchema(part, { budget, depth: depth - 1 }) : {};
  return {
    ...defaults,
    ...keywordsOf(schema, budget),
    ...subschemasOf(schema, inner),
    ...choicesOf(schema, inner),
  };
}

/** What keeps a value in its place in SQL. */
function guardOf({ type, minimum, maximum, pattern, items }: JsonSchema): JsonSchema {
  if (type === 'string' && SQL_PATTERNS.has(pattern)) return { type, pattern };
  if (type === 'array' && isJsonSchema(items)) {
    const guard = guardOf({ ...items, items: undefined });
    return Object.keys(guard).length > 0 ? { type, items: guard } : {};
  }
  if (type !== 'number' && type !== 'integer') return {};
  return {
    type,
    ...(typeof minimum === 'number' && { minimum }),
    ...(typeof maximum === 'number' && { maximum }),
  };
}

function keywordsOf(schema: JsonSchema, budget: Budget): JsonSchema {
  const keywords: Record<string, unknown> = {};
  const types = typesOf(schema);
  const { minimum, maximum, pattern, enum: choices } = schema;
  const required = [...new Set(requiredOf(schema))];
  if (types) keywords.type = types.length === 1 ? types[0] : types;
  if (typeof minimum === 'number') keywords.minimum = minimum;
  if (typeof maximum === 'number') keywords.maximum = maximum;
  if (SQL_PATTERNS.has(pattern)) keywords.pattern = pattern;
  if (required.length > 0 && budget.step(required.length)) keywords.required = required;
  if (Array.isArray(choices) && choices.length > 0 && budget.keep(choices)) keywords.enum = choices;
  if (Object.hasOwn(schema, 'const') && budget.keep(schema.const)) keywords.const = schema.const;
  return keywords;
}

type Inner = (part: unknown) => JsonSchema;

function subschemasOf(
  { properties, items, additionalProperties: others }: JsonSchema,
  inner: Inner,
): JsonSchema {
  return {
    ...(isJsonSchema(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, part]) => [name, part === false ? part : inner(part)]),
      ),
    }),
    ...(isJsonSchema(items) && { items: inner(items) }),
    ...(others !== undefined && { additionalProperties: others === false ? others : inner(others) }),
  };
}

/** Turns `oneOf` into `anyOf`: without the dropped keywords, more than one choice may match. */
function choicesOf({ anyOf, oneOf, allOf }: JsonSchema, inner: Inner): JsonSchema {
  const all = [
    ...listOf(allOf).map(inner),
    ...[anyOf, oneOf].map(listOf).flatMap((list) => (list.length > 0 ? { anyOf: list.map(inner) } : [])),
  ];
  return all.length > 0 ? { allOf: all } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
