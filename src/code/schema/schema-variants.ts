import type { Budget } from '../../budget.ts';
import { isJsonSchema, type Json, type JsonSchema, requiredOf, typesOf } from '../../json.ts';
import { countValues } from '../../measure.ts';
import { isAmong } from './match-value.ts';
import { pointed } from './tool-schema.ts';

export type Part = JsonSchema | boolean | undefined;

/** One kind of value that a schema takes. A schema that says nothing has one branch, of any type. */
export interface Variant {
  readonly type: string;
  /** The only values, where they are listed. */
  readonly values?: readonly Json[];
  /** What is said of the properties or items. */
  readonly schema: JsonSchema;
}

const MAX_NESTED = 8;
const MAX_BRANCHES = 50;

/** In bytes. No list that is kept of a tool is larger. */
const LARGEST_LIST = 1_000_000;
const ANY: Variant = { type: 'any', schema: {} };

/** The schema that parts belong to, and what may be spent on all of them. */
export interface Whole {
  readonly root: JsonSchema;
  readonly budget: Budget;
}

/**
 * The kinds of values a schema takes, with references followed and choices laid out side by side. Any, for what the
 * budget does not reach.
 */
export function variantsOf(
  whole: Whole,
  part: Part,
  nested = 0,
  within: ReadonlySet<JsonSchema> = new Set(),
): Variant[] {
  if (part === false) return [];
  if (!isJsonSchema(part) || nested > MAX_NESTED || !whole.budget.step()) return [ANY];
  const through = new Set(within);
  const schema = merged(whole, part, nested, within, through);
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined;
  if (!choices) return plainBranches(schema, whole.budget);
  const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema;
  const all: Variant[] = [];
  for (const choice of choices.slice(0, MAX_BRANCHES)) {
    if (all.length >= MAX_BRANCHES) break;
    if (choice === true) all.push(...plainBranches(rest, whole.budget));
    if (isJsonSchema(choice))
      all.push(...variantsOf(whole, join(rest, choice, whole.budget), nested + 1, through));
  }
  return all.slice(0, MAX_BRANCHES);
}

/** What is said of a property: by its name, or of those that have none. */
export function propertyOf(
  { properties, patternProperties, additionalProperties }: JsonSchema,
  key: string,
): Part {
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  // Patterns are not read: what may fit one is taken to fit.
  if (isJsonSchema(patternProperties) && !isEmpty(patternProperties)) return undefined;
  return additionalProperties as Part;
}

const emptiness = new WeakMap<object, boolean>();

function isEmpty(object: object): boolean {
  const known = emptiness.get(object) ?? Object.keys(object).length === 0;
  emptiness.set(object, known);
  return known;
}

/** Whether a value is one that a schema takes, as far as types, listed values and properties tell. */
export function admits(whole: Whole, part: Part, value: Json, nested = 0): boolean {
  if (!whole.budget.step()) return true;
  return variantsOf(whole, part).some((branch) => variantAdmits(whole, branch, value, nested));
}

export function variantAdmits(
  whole: Whole,
  { type, values, schema }: Variant,
  value: Json,
  nested = 0,
): boolean {
  if (type !== 'any' && type !== typeOf(value) && !(type === 'number' && typeOf(value) === 'integer'))
    return false;
  if (values && !isAmong(values, value)) return false;
  if (nested > MAX_NESTED || typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value))
    return value.every((item) => admits(whole, schema.items as Part, item, nested + 1));
  const object = value as Record<string, Json>;
  const required = requiredOf(schema);
  if (!whole.budget.step(required.length)) return true;
  return (
    required.every((key) => Object.hasOwn(object, key)) &&
    Object.entries(object).every(([key, inner]) => admits(whole, propertyOf(schema, key), inner, nested + 1))
  );
}

export function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/**
 * The schema without `$ref` and `allOf`; what points elsewhere says nothing, nor does a definition within itself. `through`
 * collects the definitions that were followed.
 */
function merged(
  whole: Whole,
  schema: JsonSchema,
  nested: number,
  within: ReadonlySet<JsonSchema>,
  through: Set<JsonSchema>,
): JsonSchema {
  const { $ref, allOf, ...own } = schema;
  const target =
    typeof $ref === 'string' && $ref.startsWith('#') ? pointed(whole.root, $ref.slice(1)) : undefined;
  const more = Array.isArray(allOf) ? allOf.slice(0, MAX_BRANCHES) : [];
  const parts = [target, ...more].filter(isJsonSchema).slice(0, MAX_BRANCHES);
  if (nested > MAX_NESTED || !whole.budget.step(keysOf(schema).length)) return own;
  return parts.reduce<JsonSchema>((all, part) => {
    if (part === target && within.has(part)) return all;
    if (part === target) through.add(part);
    const inside = part === target ? new Set([...within, part]) : within;
    return join(merged(whole, part, nested + 1, inside, through), all, whole.budget);
  }, own);
}

/** Past the budget, what the first says alone. */
function join(a: JsonSchema, b: JsonSchema, budget: Budget): JsonSchema {
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

function plainBranches(schema: JsonSchema, budget: Budget): Variant[] {
  const types = typesOf(schema);
  const listed = Object.hasOwn(schema, 'const') ? [schema.const as Json] : schema.enum;
  if (!Array.isArray(listed)) return (types ?? [impliedType(schema)]).map((type) => ({ type, schema }));
  if (!budget.step(countValues(listed, LARGEST_LIST))) return [ANY];
  const values = (listed as Json[]).filter((value) => !types || types.some((type) => isOf(type, value)));
  const groups = Map.groupBy(values, typeOf);
  return [...groups].map(([type, ofType]) => ({ type, values: ofType, schema }));
}

function isOf(type: string, value: Json): boolean {
  return typeOf(value) === type || (type === 'number' && typeof value === 'number');
}

/** Who writes properties means an object, though the letter of JSON Schema lets anything else pass too. */
function impliedType({ properties, required, items }: JsonSchema): string {
  if (properties || required) return 'object';
  return items === undefined ? 'any' : 'array';
}
