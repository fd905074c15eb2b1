import { isJsonSchema, type Json, type JsonSchema } from '../../json.ts';
import { ownProperty } from './tool-schema.ts';

/** Validates a value against a schema, by the keywords that `excerptSchema` keeps. */
export function matchesSchema(schema: JsonSchema, value: Json): boolean {
  const types = schema.type === undefined ? undefined : [schema.type].flat();
  if (types && !types.some((type) => hasType(type, value))) return false;
  if (schema.enum && !includesJson(schema.enum, value)) return false;
  if (typeof value === 'number') {
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
    return value >= (minimum as number) && value <= (maximum as number);
  }
  if (Array.isArray(value))
    return value.every((item) => !isJsonSchema(schema.items) || matchesSchema(schema.items, item));
  if (typeof value !== 'object' || value === null) return true;
  const members = Object.entries(value).every(([key, member]) => {
    const inner = ownProperty(schema, key);
    return !isJsonSchema(inner) || matchesSchema(inner, member);
  });
  return members && (schema.required ?? []).every((key) => Object.hasOwn(value, key));
}

function hasType(type: string, value: Json): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  return typeof value === type && value !== null && !Array.isArray(value);
}

const textsCache = new WeakMap<readonly Json[], ReadonlySet<string>>();

/** True if a value is one of a list. The JSON texts of a list are cached. */
export function includesJson(values: readonly Json[], value: Json): boolean {
  const texts = textsCache.get(values) ?? new Set(values.map((one) => JSON.stringify(one)));
  textsCache.set(values, texts);
  return texts.has(JSON.stringify(value));
}

export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
