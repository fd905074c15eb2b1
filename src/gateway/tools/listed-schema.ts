import type { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../json.ts';

/** Keywords that a model does not need to write a call. Whoever breaks one is told so by the error. */
const LEFT_OUT = new Set([
  '$schema',
  'additionalProperties',
  'propertyNames',
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'default',
  'required',
]);

/** Marks an input that is accepted but not listed. */
export const UNLISTED = { unlisted: true };

/** Lists an input without its choices, which another tool lists. */
export const UNLISTED_CHOICES = { enum: undefined };

/** Returns the schema of a tool of PML's own as it is listed. Every session pays for it, so it says only what helps to write a call. */
export function listedSchema({ required, ...schema }: JsonObject): JsonObject {
  return { ...listedParts(schema), ...(required !== undefined && { required }) };
}

/** The parts of a nested object are few, and all of them are needed or plainly optional. */
function listedParts(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([keyword]) => !LEFT_OUT.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (keyword === 'properties' && isJsonObject(value)) return [keyword, listedProperties(value)];
      if (keyword === 'items' && isJsonObject(value)) return [keyword, listedParts(value)];
      return [keyword, value];
    }),
  );
}

function listedProperties(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      isJsonObject(schema) && !schema.unlisted ? [[name, listedParts(schema)]] : [],
    ),
  );
}

/** Marks inputs that are accepted but not listed. */
export function unlisted<Fields extends Record<string, z.ZodType>>(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, field]) => [key, field.meta(UNLISTED)]),
  ) as Fields;
}
