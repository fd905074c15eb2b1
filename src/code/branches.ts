import { isJsonSchema, type Json, type JsonSchema } from './json.ts';
import { pointed, sameJson } from './tool-schema.ts';

export type Part = JsonSchema | boolean | undefined;

/** One kind of value that a schema takes. A schema that says nothing has one branch, of any type. */
export interface Branch {
  readonly type: string;
  /** The only values, where they are listed. */
  readonly values?: readonly Json[];
  /** What is said of the properties or items. */
  readonly schema: JsonSchema;
}

const MAX_NESTED = 8;
const MAX_BRANCHES = 50;

/** The kinds of values a schema takes, with references followed and choices laid out side by side. */
export function branchesOf(root: JsonSchema, part: Part, nested = 0): Branch[] {
  if (part === false) return [];
  if (!isJsonSchema(part) || nested > MAX_NESTED) return [{ type: 'any', schema: {} }];
  const schema = merged(root, part, nested);
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined;
  if (!choices) return plainBranches(schema);
  const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema;
  const all = choices.slice(0, MAX_BRANCHES).flatMap((choice) => {
    if (typeof choice === 'boolean') return choice ? plainBranches(rest) : [];
    return isJsonSchema(choice) ? branchesOf(root, join(rest, choice), nested + 1) : [];
  });
  return all.slice(0, MAX_BRANCHES);
}

/** What is said of a property: by its name, or of those that have none. */
export function propertyOf(
  { properties, patternProperties, additionalProperties }: JsonSchema,
  key: string,
): Part {
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  // Patterns are not read: what may fit one is taken to fit.
  if (isJsonSchema(patternProperties) && Object.keys(patternProperties).length > 0) return undefined;
  return additionalProperties as Part;
}

/** Whether a value is one that a schema takes, as far as types, listed values and properties tell. */
export function admits(root: JsonSchema, part: Part, value: Json, nested = 0): boolean {
  return branchesOf(root, part).some(({ type, values, schema }) => {
    if (type !== 'any' && type !== typeOf(value) && !(type === 'number' && typeOf(value) === 'integer'))
      return false;
    if (values && !values.some((one) => sameJson(one, value))) return false;
    if (nested > MAX_NESTED || typeof value !== 'object' || value === null) return true;
    if (Array.isArray(value))
      return value.every((item) => admits(root, schema.items as Part, item, nested + 1));
    const object = value as Record<string, Json>;
    return (
      requiredOf(schema).every((key) => Object.hasOwn(object, key)) &&
      Object.entries(object).every(([key, inner]) => admits(root, propertyOf(schema, key), inner, nested + 1))
    );
  });
}

export function requiredOf({ required }: JsonSchema): readonly string[] {
  return Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
}

export function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The schema without `$ref` and `allOf`; what points elsewhere says nothing. */
function merged(root: JsonSchema, schema: JsonSchema, nested: number): JsonSchema {
  const { $ref, allOf, ...own } = schema;
  const target = typeof $ref === 'string' && $ref.startsWith('#') ? pointed(root, $ref.slice(1)) : undefined;
  const parts = [target, ...(Array.isArray(allOf) ? allOf : [])].filter(isJsonSchema).slice(0, MAX_BRANCHES);
  if (nested > MAX_NESTED) return own;
  return parts.reduce<JsonSchema>((all, part) => join(merged(root, part, nested + 1), all), own);
}

function join(a: JsonSchema, b: JsonSchema): JsonSchema {
  const required = [...new Set([...requiredOf(a), ...requiredOf(b)])];
  const properties = a.properties || b.properties ? { ...a.properties, ...b.properties } : undefined;
  return { ...a, ...b, ...(properties && { properties }), ...(required.length > 0 && { required }) };
}

function plainBranches(schema: JsonSchema): Branch[] {
  const types = schema.type === undefined ? undefined : [schema.type].flat();
  const listed = Object.hasOwn(schema, 'const') ? [schema.const as Json] : schema.enum;
  if (!Array.isArray(listed)) return (types ?? [impliedType(schema)]).map((type) => ({ type, schema }));
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
