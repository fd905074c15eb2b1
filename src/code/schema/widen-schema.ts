import { isJsonSchema, type Json, type JsonSchema } from '../../json.ts';
import { matchesSchema } from './match-value.ts';

/** Widens the parameters that refuse a value with which the code ran. Returns the same schema if none does. */
export function widenSchema(schema: JsonSchema, given: Readonly<Record<string, Json>>): JsonSchema {
  const properties = isJsonSchema(schema.properties) ? schema.properties : {};
  const widened = Object.entries(given).flatMap(([name, value]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isJsonSchema(property) && !matchesSchema(property, value) ? [[name, widen(property, value)]] : [];
  });
  if (widened.length === 0) return schema;
  return { ...schema, properties: { ...properties, ...Object.fromEntries(widened) } };
}

/** Keeps what a schema says in words, and the types that it takes besides that of the value. */
function widen(schema: JsonSchema, value: Json): JsonSchema {
  const { description, default: fallback, examples, writeOnly } = schema;
  const types = new Set([...typesOf(schema), typeOf(value)]);
  const said = Object.entries({ description, default: fallback, examples, writeOnly });
  return {
    type: types.size === 1 ? ([...types][0] as string) : [...types],
    ...Object.fromEntries(said.filter(([, one]) => one !== undefined)),
  };
}

function typesOf({ type, enum: choices }: JsonSchema): string[] {
  const known = type === undefined ? ((choices ?? []) as Json[]).map(typeOf) : [type].flat();
  // A number that ran is not always whole.
  return known.map((one) => (one === 'integer' ? 'number' : String(one)));
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
