import { isJsonSchema, type JsonSchema, requiredOf } from '../../json.ts';

const MAX_REFS = 8;
/** In characters. Schemas of real tools have far shorter pointers. */
const MAX_POINTER = 1000;
const MAX_CHOICES = 100;

/** One step into a value: a property, or any item of an array. */
export type Step = { readonly property: string } | 'item';

/** Finds the subschema of the value at `path` of a tool's argument, if there is one. */
export function schemaAt(root: JsonSchema | undefined, path: readonly Step[]): JsonSchema | undefined {
  let schema = root && resolveRef(root, root)?.schema;
  for (const step of path) {
    if (!root || !schema) return undefined;
    const inner = step === 'item' ? schema.items : ownProperty(schema, step.property);
    schema = isJsonSchema(inner) ? resolveRef(root, inner)?.schema : undefined;
  }
  return schema;
}

/** True if a tool demands a value at `path` of its argument: each property on the way is required. */
export function isRequiredAt(root: JsonSchema | undefined, path: readonly Step[]): boolean {
  let schema = root && resolveRef(root, root)?.schema;
  for (const step of path) {
    if (!root || !schema) return false;
    if (step !== 'item' && !isRequiredIn(schema, step.property)) return false;
    const inner = step === 'item' ? schema.items : ownProperty(schema, step.property);
    schema = isJsonSchema(inner) ? resolveRef(root, inner)?.schema : undefined;
  }
  return true;
}

/** Cached per `required` list, which all calls of a tool share. */
const requiredNames = new WeakMap<object, ReadonlySet<string>>();

function isRequiredIn(schema: JsonSchema, name: string): boolean {
  const { required } = schema;
  if (!Array.isArray(required)) return false;
  const names = requiredNames.get(required) ?? new Set(requiredOf(schema));
  requiredNames.set(required, names);
  return names.has(name);
}

export function ownProperty({ properties }: JsonSchema, name: string): unknown {
  return isJsonSchema(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The keywords that `code/` reads. Only these are copied, so that a stranger's schema cannot make a copy expensive. */
const READ_KEYWORDS = [
  ...['type', 'description', 'enum', 'format', 'minimum', 'maximum', 'items', 'properties', 'required'],
  ...['writeOnly', '$ref', 'anyOf', 'oneOf'],
];

interface Resolved {
  readonly schema: JsonSchema;
  /** The definitions that led to it. */
  readonly through: readonly JsonSchema[];
}

/** Follows `#/…` references; undefined if one points elsewhere. A choice of null or one other yields the other. */
export function resolveRef(root: JsonSchema, schema: JsonSchema): Resolved | undefined {
  const through: JsonSchema[] = [];
  let description: string | undefined;
  let at = schema;
  for (let left = MAX_REFS; left > 0; left -= 1) {
    if (typeof at.$ref === 'string') {
      const target = at.$ref.startsWith('#') ? resolvePointer(root, at.$ref.slice(1)) : undefined;
      if (!isJsonSchema(target)) return undefined;
      description ||= at.description;
      through.push(target);
      at = target;
      continue;
    }
    const only = onlyChoice(at);
    if (!only) return { schema: description ? { ...copyKeywords(at), description } : at, through };
    const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = copyKeywords(at);
    at = { ...rest, ...copyKeywords(only) };
  }
  return undefined;
}

function copyKeywords(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    READ_KEYWORDS.filter((key) => Object.hasOwn(schema, key)).map((key) => [key, schema[key]]),
  );
}

/** Returns the one choice besides null. */
function onlyChoice({ anyOf, oneOf }: JsonSchema): JsonSchema | undefined {
  const choices = [anyOf, oneOf].find(Array.isArray) as unknown[] | undefined;
  if (!choices || choices.length > MAX_CHOICES) return undefined;
  const present = choices.filter((choice) => isJsonSchema(choice) && choice.type !== 'null');
  return present.length === 1 ? (present[0] as JsonSchema) : undefined;
}

/** Resolves a JSON Pointer, such as `/$defs/a`; undefined if it leads nowhere. */
export function resolvePointer(root: unknown, pointer: string): unknown {
  if (pointer.length > MAX_POINTER) return undefined;
  let at = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isJsonSchema(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

const keysOf = new WeakMap<object, readonly string[]>();

/** Guesses the property that a positional argument means: the required one at that index, else any at that index. */
export function positionalKey(schema: JsonSchema | undefined, index: number): string | undefined {
  const { required, properties } = schema ?? {};
  const needed: unknown = Array.isArray(required) ? required[index] : undefined;
  if (typeof needed === 'string') return needed;
  if (!isJsonSchema(properties)) return undefined;
  const keys = keysOf.get(properties) ?? Object.keys(properties);
  keysOf.set(properties, keys);
  return keys[index];
}
