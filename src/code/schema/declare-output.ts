import {
  isJsonObject,
  isJsonSchema,
  type JsonObject,
  type JsonSchema,
  requiredOf,
  typesOf,
} from '../../json.ts';
import { jsonFits } from '../../json-size.ts';
import { typeNameOf } from './infer-output.ts';

/** In bytes of JSON. A larger schema is declared less deep. */
const MAX_DECLARED = 4096;
const DEPTHS = [6, 3, 2, 1];

/**
 * Turns the schema of a capability's results into the one that is declared to all who see it; undefined if results are not
 * always objects, or nothing can be told of them.
 *
 * A name that the code does not hold came with somebody's data: it is declared only if every result has it. The top level
 * requires nothing, so that an answer that no longer fits can leave a property out of its structured content instead of
 * failing at the client.
 */
export function declaredOutput(schema: JsonSchema, code: string): JsonSchema | undefined {
  if (schema.type !== 'object') return undefined;
  const inCode = new Set(code.match(/[A-Za-z_$][\w$-]*/g));
  for (const depth of DEPTHS) {
    const { required: _, ...declared } = shown(schema, inCode, depth);
    const isEmpty = !isJsonSchema(declared.additionalProperties) && !isJsonSchema(declared.properties);
    if (isEmpty) return undefined;
    if (jsonFits(declared, MAX_DECLARED)) return declared;
  }
  return undefined;
}

function shown(schema: JsonSchema, inCode: ReadonlySet<string>, depth: number): JsonSchema {
  const { type, items, properties, additionalProperties } = schema;
  if (type === undefined || depth === 0) return type === undefined ? {} : { type };
  const inner = (one: unknown) => (isJsonSchema(one) ? shown(one, inCode, depth - 1) : {});
  const isTelling = (one: unknown) => isJsonSchema(one) && one.type !== undefined;
  const required = new Set(requiredOf(schema));
  const names = Object.keys(properties ?? {})
    .filter((name) => inCode.has(name) || required.has(name))
    .sort();
  const always = names.filter((name) => required.has(name));
  return {
    type,
    ...(isTelling(items) && { items: inner(items) }),
    ...(isTelling(additionalProperties) && { additionalProperties: inner(additionalProperties) }),
    ...(names.length > 0 && {
      properties: Object.fromEntries(names.map((name) => [name, inner(properties?.[name])])),
    }),
    ...(always.length > 0 && { required: always }),
  };
}

/**
 * Returns the structured content of an answer to a client that was told this schema: the value, without the properties that
 * do not fit. The text of the answer has all of it.
 */
export function fitOutput(declared: JsonSchema, value: unknown): JsonObject {
  if (!isJsonObject(value)) return {};
  if (fitsOutput(declared, value)) return value;
  const members = Object.entries(value).filter(([key, member]) => {
    const schema = memberSchema(declared, key);
    return !isJsonSchema(schema) || fitsOutput(schema, member);
  });
  return Object.fromEntries(members);
}

/** Validates a value against a schema that `declaredOutput` made. */
export function fitsOutput(schema: JsonSchema, value: unknown): boolean {
  const types = typesOf(schema);
  if (types && !types.includes(typeNameOf(value))) return false;
  if (Array.isArray(value)) {
    const { items } = schema;
    return !isJsonSchema(items) || value.every((item) => fitsOutput(items, item));
  }
  if (!isJsonObject(value)) return true;
  if (!requiredOf(schema).every((key) => Object.hasOwn(value, key) && value[key] !== undefined)) return false;
  return Object.entries(value).every(([key, member]) => {
    // JSON leaves undefined members out.
    const inner = member === undefined ? undefined : memberSchema(schema, key);
    return !isJsonSchema(inner) || fitsOutput(inner, member);
  });
}

/** Tells whether everything that fits the inferred schema fits the declared one. */
export function coversOutput(declared: JsonSchema, inferred: JsonSchema): boolean {
  const types = typesOf(declared);
  if (!types) return true;
  if (!typesOf(inferred)?.every((type) => types.includes(type))) return false;
  const covers = (outer: unknown, inner: unknown) =>
    !isJsonSchema(outer) || !isJsonSchema(inner) || coversOutput(outer, inner);
  if (!covers(declared.items, inferred.items)) return false;
  const always = new Set(requiredOf(inferred));
  if (!requiredOf(declared).every((name) => always.has(name))) return false;
  const names = Object.keys({ ...declared.properties, ...inferred.properties });
  return (
    names.every((name) => covers(memberSchema(declared, name), memberSchema(inferred, name))) &&
    covers(declared.additionalProperties, inferred.additionalProperties)
  );
}

function memberSchema({ properties, additionalProperties }: JsonSchema, key: string): unknown {
  return properties && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
}
