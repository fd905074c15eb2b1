import type { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../json.ts';

/** Keywords that a model does not need to write a call. A call that breaks one gets an error that says so. */
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

/** Returns the listed schema of one of PML's own tools. Every session pays for it, so it omits what calls need not. */
export function listedSchema({ required, ...schema }: JsonObject): JsonObject {
  return { ...listedParts(schema), ...(required !== undefined && { required }) };
}

/** Drops `required` as well: nested objects have few members, all of them needed or plainly optional. */
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
