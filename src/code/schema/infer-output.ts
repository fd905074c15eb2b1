import {
  isJsonObject,
  isJsonSchema,
  type JsonObject,
  type JsonSchema,
  requiredOf,
  typesOf,
} from '../../json.ts';
import { findSecrets, isRandomWord } from '../../secrets/index.ts';

/**
 * Schemas of results, inferred from the results themselves. They hold types and names of properties, never values. An object
 * is either a record, `{ properties, required }`, or a map, `{ additionalProperties }`, if its keys look like data. `{}` stands
 * for anything. A schema only ever grows: what fitted it once fits everything it is united with.
 */

/** How many values of one result are looked at; the rest may be anything. */
const MAX_VALUES = 5000;
const MAX_DEPTH = 6;
/** A record with more properties is a map. */
const MAX_PROPERTIES = 64;
/** From this many properties on, if all are alike and none is always there, they are the keys of a map. */
const ALIKE_PROPERTIES = 8;

const ANY: JsonSchema = {};
const NAME = /^[A-Za-z_$][A-Za-z0-9_$-]{0,39}$/;
/** Shorter words have the shape of no secret. */
const MIN_SECRET = 16;
/** Years, numbers of orders, hashes and the like. */
const DIGITS = /\d{4}/;

/** Infers the schema of one result. */
export function inferOutput(value: unknown): JsonSchema {
  return infer(value, { values: MAX_VALUES, items: MAX_VALUES }, 0);
}

const SAMPLE_VALUES = 600;
const SAMPLE_ITEMS = 8;

/** As `inferOutput`, but cheap: it looks at the first items of each list, so that later ones may differ. */
export function sampleOutput(value: unknown): JsonSchema {
  return infer(value, { values: SAMPLE_VALUES, items: SAMPLE_ITEMS }, 0);
}

interface Left {
  values: number;
  /** How many items of one list are looked at. */
  readonly items: number;
}

function infer(value: unknown, left: Left, depth: number): JsonSchema {
  left.values -= 1;
  if (left.values < 0) return ANY;
  const type = typeNameOf(value);
  if (Array.isArray(value)) return inferArray(value, left, depth);
  return isJsonObject(value) ? inferObject(value, left, depth) : { type };
}

function inferArray(all: readonly unknown[], left: Left, depth: number): JsonSchema {
  const items = all.slice(0, left.items);
  if (items.length === 0) return { type: 'array' };
  if (depth === MAX_DEPTH || items.length > left.values) return { type: 'array', items: ANY };
  return { type: 'array', items: items.map((item) => infer(item, left, depth + 1)).reduce(uniteOutputs) };
}

function inferObject(value: JsonObject, left: Left, depth: number): JsonSchema {
  const all = Object.keys(value);
  if (depth === MAX_DEPTH || all.length > left.values) return { type: 'object', additionalProperties: ANY };
  const keys = all.filter((key) => value[key] !== undefined);
  const members = keys.map((key) => [key, infer(value[key], left, depth + 1)] as const);
  const isRecord = keys.length <= MAX_PROPERTIES && keys.every(isName);
  if (isRecord) return { type: 'object', properties: Object.fromEntries(members), required: keys.sort() };
  return { type: 'object', additionalProperties: uniteAll(members.map(([, member]) => member)) };
}

/** True for a key that looks like the name of a property, not like an id, an address or another piece of data. */
function isName(key: string): boolean {
  if (!NAME.test(key) || DIGITS.test(key) || key in Object.prototype) return false;
  return key.length < MIN_SECRET || (!isRandomWord(key, undefined) && findSecrets(key).length === 0);
}

/** Returns a schema that accepts whatever one of the two accepts. */
export function uniteOutputs(a: JsonSchema, b: JsonSchema): JsonSchema {
  const [inA, inB] = [typesOf(a), typesOf(b)];
  if (!inA || !inB) return ANY;
  const types = [...new Set([...inA, ...inB])].sort();
  return {
    type: types.length === 1 ? (types[0] as string) : types,
    ...uniteItems(a, b),
    ...uniteMembers(a, b, inA.includes('object'), inB.includes('object')),
  };
}

function uniteAll(schemas: readonly JsonSchema[]): JsonSchema {
  return schemas.length === 0 ? ANY : schemas.reduce(uniteOutputs);
}

/** The schema of an empty list has no items, and says nothing about them. */
function uniteItems({ items: a }: JsonSchema, { items: b }: JsonSchema): JsonSchema {
  if (!isJsonSchema(a) || !isJsonSchema(b))
    return isJsonSchema(a) ? { items: a } : isJsonSchema(b) ? { items: b } : {};
  return { items: uniteOutputs(a, b) };
}

function uniteMembers(a: JsonSchema, b: JsonSchema, inA: boolean, inB: boolean): JsonSchema {
  if (!inA || !inB) return inA ? membersOf(a) : inB ? membersOf(b) : {};
  if (isMap(a) || isMap(b)) return asMap([...valuesOf(a), ...valuesOf(b)]);
  const properties = { ...a.properties, ...b.properties } as Record<string, JsonSchema>;
  for (const key of Object.keys(a.properties ?? {})) {
    const [one, other] = [a.properties?.[key], b.properties?.[key]];
    if (isJsonSchema(one) && isJsonSchema(other)) properties[key] = uniteOutputs(one, other);
  }
  const inBoth = new Set(requiredOf(b));
  const required = requiredOf(a).filter((key) => inBoth.has(key));
  const united = { properties, required };
  return isMapInDisguise(united) ? asMap(Object.values(properties)) : united;
}

function membersOf({ properties, required, additionalProperties }: JsonSchema): JsonSchema {
  return additionalProperties === undefined
    ? { properties: properties ?? {}, required: required ?? [] }
    : { additionalProperties };
}

function isMap({ additionalProperties }: JsonSchema): boolean {
  return additionalProperties !== undefined;
}

function asMap(values: readonly JsonSchema[]): JsonSchema {
  return { additionalProperties: uniteAll(values) };
}

/** The schemas of an object's values. */
function valuesOf({ properties, additionalProperties }: JsonSchema): JsonSchema[] {
  const all = additionalProperties === undefined ? Object.values(properties ?? {}) : [additionalProperties];
  return all.filter(isJsonSchema);
}

function isMapInDisguise({ properties = {}, required = [] }: JsonSchema): boolean {
  const values = Object.values(properties);
  if (values.length > MAX_PROPERTIES) return true;
  if (values.length < ALIKE_PROPERTIES || required.length > 0) return false;
  const [first] = values;
  return values.every((one) => JSON.stringify(one) === JSON.stringify(first));
}

/** As `uniteOutputs` with the schema of a value, but without any property that the schema does not have yet. */
export function loosenOutput(schema: JsonSchema, value: unknown): JsonSchema {
  return withoutNewNames(uniteOutputs(schema, inferOutput(value)), schema);
}

function withoutNewNames(united: JsonSchema, before: JsonSchema): JsonSchema {
  const { properties, items, additionalProperties } = united;
  const inner = (one: unknown, known: unknown) =>
    isJsonSchema(one) ? withoutNewNames(one, isJsonSchema(known) ? known : ANY) : one;
  const known = isMap(before) ? {} : (before.properties ?? {});
  return {
    ...united,
    ...(items !== undefined && { items: inner(items, before.items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: inner(additionalProperties, before.additionalProperties),
    }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.keys(known).map((key) => [key, inner(properties[key], known[key])]),
      ),
      required: requiredOf(united).filter((key) => Object.hasOwn(known, key)),
    }),
  } as JsonSchema;
}

export function typeNameOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  // JSON writes NaN and the infinities as null.
  return typeof value === 'number' && !Number.isFinite(value) ? 'null' : typeof value;
}
