import type { Budget } from '../../budget.ts';
import { isJsonSchema, type Json, type JsonSchema, requiredOf, typesOf } from '../../json.ts';
import { countValues } from '../../json-size.ts';
import { includesJson } from './match-value.ts';
import { resolvePointer } from './tool-schema.ts';

/** A schema inside another: of a property, of items, of a choice. Undefined allows any value, as `true` does. */
export type Subschema = JsonSchema | boolean | undefined;

/** One kind of value that a schema accepts. An empty schema has one variant, of any type. */
export interface Variant {
  readonly type: string;
  /** The only values, if the schema lists them. */
  readonly values?: readonly Json[];
  /** The schema with its keywords for properties or items. */
  readonly schema: JsonSchema;
}

const MAX_NESTED = 8;
const MAX_VARIANTS = 50;

/** In bytes. No stored tool schema holds a larger list. */
const MAX_LIST = 1_000_000;
const ANY: Variant = { type: 'any', schema: {} };

/** The root that a subschema's references point into, and the budget for reading it. */
export interface SchemaContext {
  readonly root: JsonSchema;
  readonly budget: Budget;
}

/**
 * Lists the kinds of values that a schema accepts, with references followed and choices expanded. Past the budget, any
 * value counts as accepted.
 */
export function variantsOf(
  context: SchemaContext,
  subschema: Subschema,
  nested = 0,
  within: ReadonlySet<JsonSchema> = new Set(),
): Variant[] {
  if (subschema === false) return [];
  if (!isJsonSchema(subschema) || nested > MAX_NESTED || !context.budget.step()) return [ANY];
  const through = new Set(within);
  const schema = flatten(context, subschema, nested, within, through);
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined;
  if (!choices) return plainVariants(schema, context.budget);
  const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema;
  const all: Variant[] = [];
  for (const choice of choices.slice(0, MAX_VARIANTS)) {
    if (all.length >= MAX_VARIANTS) break;
    if (choice === true) all.push(...plainVariants(rest, context.budget));
    if (isJsonSchema(choice))
      all.push(...variantsOf(context, merge(rest, choice, context.budget), nested + 1, through));
  }
  return all.slice(0, MAX_VARIANTS);
}

/** Finds the subschema of a property: by its name, else that of additional properties. */
export function propertyOf(
  { properties, patternProperties, additionalProperties }: JsonSchema,
  key: string,
): Subschema {
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  // Patterns are not read: any property is assumed to match one.
  if (isJsonSchema(patternProperties) && !isEmpty(patternProperties)) return undefined;
  return additionalProperties as Subschema;
}

const emptyCache = new WeakMap<object, boolean>();

function isEmpty(object: object): boolean {
  const empty = emptyCache.get(object) ?? Object.keys(object).length === 0;
  emptyCache.set(object, empty);
  return empty;
}

/** Checks whether a schema accepts a value, by types, listed values and properties alone. */
export function allowsValue(context: SchemaContext, subschema: Subschema, value: Json, nested = 0): boolean {
  if (!context.budget.step()) return true;
  return variantsOf(context, subschema).some((variant) => variantAllows(context, variant, value, nested));
}

export function variantAllows(
  context: SchemaContext,
  { type, values, schema }: Variant,
  value: Json,
  nested = 0,
): boolean {
  if (type !== 'any' && type !== typeOf(value) && !(type === 'number' && typeOf(value) === 'integer'))
    return false;
  if (values && !includesJson(values, value)) return false;
  if (nested > MAX_NESTED || typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value))
    return value.every((item) => allowsValue(context, schema.items as Subschema, item, nested + 1));
  const object = value as Record<string, Json>;
  const required = requiredOf(schema);
  if (!context.budget.step(required.length)) return true;
  return (
    required.every((key) => Object.hasOwn(object, key)) &&
    Object.entries(object).every(([key, inner]) =>
      allowsValue(context, propertyOf(schema, key), inner, nested + 1),
    )
  );
}

export function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/**
 * Merges `$ref` and `allOf` into the schema. Recursive references, and those to other documents, are ignored.
 * `through` collects the definitions that were followed.
 */
function flatten(
  context: SchemaContext,
  schema: JsonSchema,
  nested: number,
  within: ReadonlySet<JsonSchema>,
  through: Set<JsonSchema>,
): JsonSchema {
  const { $ref, allOf, ...own } = schema;
  const target =
    typeof $ref === 'string' && $ref.startsWith('#')
      ? resolvePointer(context.root, $ref.slice(1))
      : undefined;
  const more = Array.isArray(allOf) ? allOf.slice(0, MAX_VARIANTS) : [];
  const parts = [target, ...more].filter(isJsonSchema).slice(0, MAX_VARIANTS);
  if (nested > MAX_NESTED || !context.budget.step(keysOf(schema).length)) return own;
  return parts.reduce<JsonSchema>((all, part) => {
    if (part === target && within.has(part)) return all;
    if (part === target) through.add(part);
    const inside = part === target ? new Set([...within, part]) : within;
    return merge(flatten(context, part, nested + 1, inside, through), all, context.budget);
  }, own);
}

/** Merges two schemas; past the budget, returns the second alone. */
function merge(a: JsonSchema, b: JsonSchema, budget: Budget): JsonSchema {
  const names = [
    requiredOf(a),
    requiredOf(b),
    keysOf(a.properties),
    keysOf(b.properties),
    keysOf(a),
    keysOf(b),
  ];
  if (!budget.step(names.reduce((sum, { length }) => sum + length, 0))) return b;
  const required = [...new Set([...requiredOf(a), ...requiredOf(b)])];
  const properties = a.properties || b.properties ? { ...a.properties, ...b.properties } : undefined;
  return { ...a, ...b, ...(properties && { properties }), ...(required.length > 0 && { required }) };
}

function keysOf(object: object | undefined): readonly string[] {
  return Object.keys(object ?? {});
}

function plainVariants(schema: JsonSchema, budget: Budget): Variant[] {
  const types = typesOf(schema);
  const listed = Object.hasOwn(schema, 'const') ? [schema.const as Json] : schema.enum;
  if (!Array.isArray(listed)) return (types ?? [impliedType(schema)]).map((type) => ({ type, schema }));
  if (!budget.step(countValues(listed, MAX_LIST))) return [ANY];
  const values = (listed as Json[]).filter((value) => !types || types.some((type) => isOf(type, value)));
  const groups = Map.groupBy(values, typeOf);
  return [...groups].map(([type, ofType]) => ({ type, values: ofType, schema }));
}

function isOf(type: string, value: Json): boolean {
  return typeOf(value) === type || (type === 'number' && typeof value === 'number');
}

/** Properties imply an object, though JSON Schema, read strictly, allows any other value as well. */
function impliedType({ properties, required, items }: JsonSchema): string {
  if (properties || required) return 'object';
  return items === undefined ? 'any' : 'array';
}
