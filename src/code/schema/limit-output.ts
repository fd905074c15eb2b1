import { isJsonSchema, type JsonSchema, requiredOf } from '../../json.ts';
import { jsonFits } from '../../json-size.ts';

/** Makes schemas of `inferOutput` smaller, or fit to be shown to others. */

/** The first is deeper than any schema that `inferOutput` makes. */
const DEPTHS = [8, 5, 4, 3, 2, 1];

/** Returns the schema if it takes at most this many bytes of JSON, else a less deep one that does. */
export function limitOutput(schema: JsonSchema, maxBytes: number): JsonSchema {
  for (const depth of DEPTHS) {
    const cut = cutDepth(schema, depth);
    if (jsonFits(cut, maxBytes)) return cut;
  }
  return withoutNames(cutDepth(schema, 1));
}

function cutDepth(schema: JsonSchema, depth: number): JsonSchema {
  if (depth === 0) return {};
  return mapInner(
    schema,
    (inner) => cutDepth(inner, depth - 1),
    () => true,
  );
}

/** Keeps the types, but no name of a property: a record becomes an object of any kind. */
export function withoutNames(schema: JsonSchema): JsonSchema {
  return mapInner(schema, withoutNames, () => false);
}

/** Keeps the names of properties that are always there. */
export function sharedNames(schema: JsonSchema): JsonSchema {
  const required = new Set(requiredOf(schema));
  return mapInner(schema, sharedNames, (name) => required.has(name));
}

/** True if a schema says more of a value than that it is an object or a list. */
export function isTelling(schema: JsonSchema): boolean {
  if (schema.type === undefined)
    return ['properties', '$ref', 'anyOf', 'oneOf'].some((key) => schema[key] !== undefined);
  if (schema.type === 'object') return [schema.properties, schema.additionalProperties].some(hasMembers);
  return schema.type !== 'array' || hasMembers(schema.items);
}

function hasMembers(inner: unknown): boolean {
  return isJsonSchema(inner) && Object.keys(inner).length > 0;
}

function mapInner(
  schema: JsonSchema,
  map: (inner: JsonSchema) => JsonSchema,
  isKept: (name: string) => boolean,
): JsonSchema {
  const { type, items, properties, additionalProperties } = schema;
  const mapped = (inner: unknown) => (isJsonSchema(inner) ? map(inner) : {});
  const names = Object.keys(properties ?? {}).filter(isKept);
  return {
    ...(type !== undefined && { type }),
    ...(items !== undefined && { items: mapped(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: mapped(additionalProperties) }),
    ...(properties !== undefined && names.length === 0 && { additionalProperties: {} }),
    ...(names.length > 0 && {
      properties: Object.fromEntries(names.map((name) => [name, mapped(properties?.[name])])),
      required: requiredOf(schema).filter(isKept),
    }),
  };
}
