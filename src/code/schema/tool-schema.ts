import { Budget } from '../../budget.ts';
import { isJsonSchema, type JsonSchema, requiredOf, typesOf } from '../../json.ts';

const MAX_REFS = 8;
/** Longer pointers point nowhere that matters. */
const LONGEST_POINTER = 1000;
const MOST_CHOICES = 100;

/** One step into a value: a property, or any item of an array. */
export type Step = { readonly property: string } | 'item';

/** What a tool's schema says about the value at `path` of its argument, if it says anything. */
export function schemaAt(root: JsonSchema | undefined, path: readonly Step[]): JsonSchema | undefined {
  let schema = root && resolveRef(root, root)?.schema;
  for (const step of path) {
    if (!root || !schema) return undefined;
    const inner = step === 'item' ? schema.items : ownProperty(schema, step.property);
    schema = isJsonSchema(inner) ? resolveRef(root, inner)?.schema : undefined;
  }
  return schema;
}

export function ownProperty({ properties }: JsonSchema, name: string): unknown {
  return isJsonSchema(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** All that this file and the judgement of literals read. Copying no more keeps a copy from costing what a stranger likes. */
const READ = [
  ...['type', 'description', 'enum', 'format', 'minimum', 'maximum', 'items', 'properties', 'required'],
  ...['writeOnly', '$ref', 'anyOf', 'oneOf'],
];

interface Resolved {
  readonly schema: JsonSchema;
  /** The definitions that led to it. */
  readonly through: readonly JsonSchema[];
}

/** Follows `#/…` references; what points elsewhere says nothing. An optional value is what it is when present. */
function resolveRef(root: JsonSchema, schema: JsonSchema): Resolved | undefined {
  const through: JsonSchema[] = [];
  let description: string | undefined;
  let at = schema;
  for (let left = MAX_REFS; left > 0; left -= 1) {
    if (typeof at.$ref === 'string') {
      const target = at.$ref.startsWith('#') ? pointed(root, at.$ref.slice(1)) : undefined;
      if (!isJsonSchema(target)) return undefined;
      description ||= at.description;
      through.push(target);
      at = target;
      continue;
    }
    const only = onlyChoice(at);
    if (!only) return { schema: description ? { ...copied(at), description } : at, through };
    const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = copied(at);
    at = { ...rest, ...copied(only) };
  }
  return undefined;
}

function copied(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    READ.filter((key) => Object.hasOwn(schema, key)).map((key) => [key, schema[key]]),
  );
}

/** The one choice besides null. */
function onlyChoice({ anyOf, oneOf }: JsonSchema): JsonSchema | undefined {
  const choices = [anyOf, oneOf].find(Array.isArray) as unknown[] | undefined;
  if (!choices || choices.length > MOST_CHOICES) return undefined;
  const present = choices.filter((choice) => isJsonSchema(choice) && choice.type !== 'null');
  return present.length === 1 ? (present[0] as JsonSchema) : undefined;
}

export function pointed(root: unknown, pointer: string): unknown {
  if (pointer.length > LONGEST_POINTER) return undefined;
  let at = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isJsonSchema(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

const keysOf = new WeakMap<object, readonly string[]>();

/** The property that a positional argument most likely means: the first required one, else the first. */
export function positionalKey(schema: JsonSchema | undefined, index: number): string | undefined {
  const { required, properties } = schema ?? {};
  const needed: unknown = Array.isArray(required) ? required[index] : undefined;
  if (typeof needed === 'string') return needed;
  if (!isJsonSchema(properties)) return undefined;
  const keys = keysOf.get(properties) ?? Object.keys(properties);
  keysOf.set(properties, keys);
  return keys[index];
}

const LONGEST_DESCRIPTION = 300;
const MAX_DEPTH = 5;

/** The part of a foreign schema that is worth repeating: what a caller needs, and nothing that points elsewhere. */
export function excerptSchema(root: JsonSchema, schema: JsonSchema, budget = new Budget()): JsonSchema {
  return excerpt({ root, budget, depth: 0, within: [] }, schema);
}

interface Reading {
  readonly root: JsonSchema;
  readonly budget: Budget;
  readonly depth: number;
  /** The definitions that are being expanded. */
  readonly within: readonly JsonSchema[];
}

function excerpt({ root, budget, depth, within }: Reading, given: JsonSchema): JsonSchema {
  if (!budget.node()) return {};
  const { schema, through } = resolveRef(root, given) ?? { schema: {}, through: [] };
  const words = wordsOf(schema, budget);
  const isAgain = through.some((definition) => within.includes(definition));
  if (depth >= MAX_DEPTH || (isAgain && !budget.repeat(partsOf(schema)))) return words;
  const inner = { root, budget, depth: depth + 1, within: [...within, ...through] };
  const { items, properties, required } = schema;
  return {
    ...words,
    ...(isJsonSchema(items) && { items: excerpt(inner, items) }),
    ...(isJsonSchema(properties) && { properties: excerptEach(inner, properties) }),
    ...(isJsonSchema(properties) && Array.isArray(required) && namesOf(schema, budget)),
  };
}

function partsOf({ properties, items }: JsonSchema): number {
  return Object.keys(properties ?? {}).length + (items === undefined ? 0 : 1);
}

/** What a schema says of its value as a whole. */
function wordsOf(schema: JsonSchema, budget: Budget): JsonSchema {
  const words: Record<string, unknown> = {};
  const { description, enum: choices, format, minimum, maximum } = schema;
  const types = typesOf(schema);
  const text = typeof description === 'string' ? description.slice(0, LONGEST_DESCRIPTION) : undefined;
  if (types) words.type = Array.isArray(schema.type) ? types : types[0];
  if (text !== undefined && budget.keep(text)) words.description = text;
  if (Array.isArray(choices) && choices.length > 0 && budget.keep(choices)) words.enum = choices;
  if (typeof format === 'string' && budget.keep(format)) words.format = format;
  if (typeof minimum === 'number') words.minimum = minimum;
  if (typeof maximum === 'number') words.maximum = maximum;
  return words;
}

function excerptEach(reading: Reading, properties: object): Record<string, JsonSchema> {
  const excerpts = new Map<string, JsonSchema>();
  const entries = Object.entries(properties);
  if (!reading.budget.step(entries.length)) return {};
  for (const [name, each] of entries) {
    if (!isJsonSchema(each)) continue;
    if (!reading.budget.keep(name)) break;
    excerpts.set(name, excerpt(reading, each));
  }
  return Object.fromEntries(excerpts);
}

function namesOf(schema: JsonSchema, budget: Budget): JsonSchema {
  const required = [...new Set(requiredOf(schema))];
  return budget.keep(required) ? { required } : {};
}
