import { Budget } from '../../budget.ts';
import { isJsonSchema, type JsonSchema, requiredOf, typesOf } from '../../json.ts';
import { resolveRef } from './tool-schema.ts';

const MAX_DESCRIPTION = 300;
const MAX_DEPTH = 5;

/** Copies the part of a foreign schema that a caller needs, with its references resolved. */
export function excerptSchema(root: JsonSchema, schema: JsonSchema, budget = new Budget()): JsonSchema {
  return excerpt({ root, budget, depth: 0, within: [] }, schema);
}

interface Reading {
  readonly root: JsonSchema;
  readonly budget: Budget;
  readonly depth: number;
  /** The definitions that are being expanded. */
  readonly within: readonly JsonSchema[];
}

function excerpt({ root, budget, depth, within }: Reading, given: JsonSchema): JsonSchema {
  if (!budget.node()) return {};
  const { schema, through } = resolveRef(root, given) ?? { schema: {}, through: [] };
  const keywords = keywordsOf(schema, budget);
  const isRecursive = through.some((definition) => within.includes(definition));
  if (depth >= MAX_DEPTH || (isRecursive && !budget.repeat(countParts(schema)))) return keywords;
  const inner = { root, budget, depth: depth + 1, within: [...within, ...through] };
  const { items, properties, required } = schema;
  return {
    ...keywords,
    ...(isJsonSchema(items) && { items: excerpt(inner, items) }),
    ...(isJsonSchema(properties) && { properties: excerptEach(inner, properties) }),
    ...(isJsonSchema(properties) && Array.isArray(required) && requiredNames(schema, budget)),
  };
}

function countParts({ properties, items }: JsonSchema): number {
  return Object.keys(properties ?? {}).length + (items === undefined ? 0 : 1);
}

/** Copies the keywords that apply to the value as a whole. */
function keywordsOf(schema: JsonSchema, budget: Budget): JsonSchema {
  const keywords: Record<string, unknown> = {};
  const { description, enum: choices, format, minimum, maximum } = schema;
  const types = typesOf(schema);
  const text = typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION) : undefined;
  if (types) keywords.type = Array.isArray(schema.type) ? types : types[0];
  if (text !== undefined && budget.keep(text)) keywords.description = text;
  if (Array.isArray(choices) && choices.length > 0 && budget.keep(choices)) keywords.enum = choices;
  if (typeof format === 'string' && budget.keep(format)) keywords.format = format;
  if (typeof minimum === 'number') keywords.minimum = minimum;
  if (typeof maximum === 'number') keywords.maximum = maximum;
  return keywords;
}

function excerptEach(reading: Reading, properties: object): Record<string, JsonSchema> {
  const excerpts = new Map<string, JsonSchema>();
  const entries = Object.entries(properties);
  if (!reading.budget.step(entries.length)) return {};
  for (const [name, each] of entries) {
    if (!isJsonSchema(each)) continue;
    if (!reading.budget.keep(name)) break;
    excerpts.set(name, excerpt(reading, each));
  }
  return Object.fromEntries(excerpts);
}

function requiredNames(schema: JsonSchema, budget: Budget): JsonSchema {
  const required = [...new Set(requiredOf(schema))];
  return budget.keep(required) ? { required } : {};
}
