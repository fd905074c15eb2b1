import { isJsonSchema, type Json, type JsonSchema } from './json.ts';

const MAX_REFS = 8;

/** One step into a value: a property, or any item of an array. */
export type Step = { readonly property: string } | 'item';

/** What a tool's schema says about the value at `path` of its argument, if it says anything. */
export function schemaAt(root: JsonSchema | undefined, path: readonly Step[]): JsonSchema | undefined {
  let schema = root && resolveRef(root, root);
  for (const step of path) {
    if (!root || !schema) return undefined;
    const inner = step === 'item' ? schema.items : ownProperty(schema, step.property);
    schema = isJsonSchema(inner) ? resolveRef(root, inner) : undefined;
  }
  return schema;
}

function ownProperty({ properties }: JsonSchema, name: string): unknown {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Follows `#/…` references; what points elsewhere says nothing. An optional value is what it is when present. */
export function resolveRef(root: JsonSchema, schema: JsonSchema, budget = MAX_REFS): JsonSchema | undefined {
  if (budget === 0) return undefined;
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    const target = $ref.startsWith('#') ? pointed(root, $ref.slice(1)) : undefined;
    const found = isJsonSchema(target) ? resolveRef(root, target, budget - 1) : undefined;
    return found && { ...found, ...(schema.description ? { description: schema.description } : {}) };
  }
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined;
  const present = choices?.filter((choice) => isJsonSchema(choice) && choice.type !== 'null');
  const [only] = present ?? [];
  if (present?.length !== 1 || !isJsonSchema(only)) return schema;
  const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema;
  return resolveRef(root, { ...rest, ...only }, budget - 1);
}

export function pointed(root: unknown, pointer: string): unknown {
  let at = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isJsonSchema(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** The property that a positional argument most likely means: the first required one, else the first. */
export function positionalKey(schema: JsonSchema | undefined, index: number): string | undefined {
  return schema?.required?.[index] ?? Object.keys(schema?.properties ?? {})[index];
}

const LONGEST_DESCRIPTION = 300;
const MAX_DEPTH = 5;

/** The part of a foreign schema that is worth repeating: what a caller needs, and nothing that points elsewhere. */
export function excerptOf(root: JsonSchema, schema: JsonSchema, depth = 0): JsonSchema {
  const excerpt: Record<string, unknown> = {};
  const resolved = resolveRef(root, schema) ?? {};
  const {
    type,
    description,
    enum: choices,
    format,
    minimum,
    maximum,
    items,
    properties,
    required,
  } = resolved;
  if (type !== undefined) excerpt.type = type;
  if (typeof description === 'string') excerpt.description = description.slice(0, LONGEST_DESCRIPTION);
  if (Array.isArray(choices)) excerpt.enum = choices;
  if (format !== undefined) excerpt.format = format;
  if (typeof minimum === 'number') excerpt.minimum = minimum;
  if (typeof maximum === 'number') excerpt.maximum = maximum;
  if (depth >= MAX_DEPTH) return excerpt;
  if (isJsonSchema(items)) excerpt.items = excerptOf(root, items, depth + 1);
  if (properties) {
    const inner = Object.entries(properties).filter((entry): entry is [string, JsonSchema] =>
      isJsonSchema(entry[1]),
    );
    excerpt.properties = Object.fromEntries(
      inner.map(([name, each]) => [name, excerptOf(root, each, depth + 1)]),
    );
    if (Array.isArray(required)) excerpt.required = required;
  }
  return excerpt;
}

/** Whether a value fits what `excerptOf` keeps of a schema. */
export function accepts(schema: JsonSchema, value: Json): boolean {
  const types = schema.type === undefined ? undefined : [schema.type].flat();
  if (types && !types.some((type) => hasType(type, value))) return false;
  if (schema.enum && !schema.enum.some((choice) => sameJson(choice, value))) return false;
  if (typeof value === 'number') {
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
    return value >= (minimum as number) && value <= (maximum as number);
  }
  if (Array.isArray(value))
    return value.every((item) => !isJsonSchema(schema.items) || accepts(schema.items, item));
  if (typeof value !== 'object' || value === null) return true;
  const members = Object.entries(value).every(([key, member]) => {
    const inner = ownProperty(schema, key);
    return !isJsonSchema(inner) || accepts(inner, member);
  });
  return members && (schema.required ?? []).every((key) => Object.hasOwn(value, key));
}

function hasType(type: string, value: Json): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  return typeof value === type && value !== null && !Array.isArray(value);
}

export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
