import type { Budget } from '../../budget.ts';
import { isJsonSchema, type JsonSchema, requiredOf, typesOf } from '../../json.ts';
import { includesJson } from './match-value.ts';

/**
 * Joins two excerpts into the schema of a value that both must take. A keyword on which they cannot agree is dropped, so
 * that any value passes it. Once the budget is spent, the first one stays as it is.
 */
export function intersectSchemas(a: JsonSchema, b: JsonSchema, budget: Budget): JsonSchema {
  if (a === b || !budget.step(1 + partsOf(a) + partsOf(b))) return a;
  const required = [...new Set([...requiredOf(a), ...requiredOf(b)])];
  const joined: JsonSchema = {
    ...b,
    ...a,
    type: commonType(a, b),
    enum: commonChoices(a.enum, b.enum),
    minimum: commonBound(Math.max, a.minimum, b.minimum),
    maximum: commonBound(Math.min, a.maximum, b.maximum),
    format:
      a.format !== undefined && b.format !== undefined && a.format !== b.format
        ? undefined
        : (a.format ?? b.format),
    properties: commonProperties(a, b, budget),
    required: required.length > 0 ? required : undefined,
    items:
      isJsonSchema(a.items) && isJsonSchema(b.items)
        ? intersectSchemas(a.items, b.items, budget)
        : (a.items ?? b.items),
  } as JsonSchema;
  return Object.fromEntries(Object.entries(joined).filter(([, value]) => value !== undefined));
}

function partsOf({ enum: choices = [], properties = {} }: JsonSchema): number {
  return choices.length + Object.keys(properties).length;
}

/** An integer is a number. */
function commonType(a: JsonSchema, b: JsonSchema): JsonSchema['type'] {
  const [one, two] = [typesOf(a), typesOf(b)];
  if (!one || !two) return one ? a.type : b.type;
  const common = [
    ...new Set([...one.filter((type) => takes(two, type)), ...two.filter((type) => takes(one, type))]),
  ];
  const narrow = common.includes('integer') ? common.filter((type) => type !== 'number') : common;
  if (narrow.length === 0) return undefined;
  return narrow.length === 1 ? narrow[0] : narrow;
}

function takes(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

function commonChoices(a: JsonSchema['enum'], b: JsonSchema['enum']): JsonSchema['enum'] {
  if (!a || !b) return a ?? b;
  const common = a.filter((value) => includesJson(b, value));
  return common.length > 0 ? common : undefined;
}

function commonBound(choose: (...bounds: number[]) => number, a: unknown, b: unknown): number | undefined {
  const bounds = [a, b].filter((bound) => typeof bound === 'number');
  return bounds.length > 0 ? choose(...bounds) : undefined;
}

function commonProperties(a: JsonSchema, b: JsonSchema, budget: Budget): JsonSchema['properties'] {
  if (!a.properties || !b.properties) return a.properties ?? b.properties;
  const joined = new Map(Object.entries({ ...a.properties, ...b.properties }));
  for (const [key, schema] of Object.entries(a.properties)) {
    const other = Object.hasOwn(b.properties, key) ? b.properties[key] : undefined;
    const both = isJsonSchema(schema) && isJsonSchema(other);
    joined.set(key, both ? intersectSchemas(schema, other, budget) : schema);
  }
  return Object.fromEntries(joined);
}
