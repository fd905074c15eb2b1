import { isJsonSchema, type JsonSchema } from './json.ts';

/** Keywords for readers; a tool takes the same without them. */
const WORDS = new Set([
  ...['title', 'description', 'examples', 'default', 'deprecated', 'readOnly', 'writeOnly'],
  ...['$schema', '$id', '$comment', 'contentMediaType', 'contentEncoding', 'format'],
]);
/** Keywords whose keys are names, not keywords. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords whose content is data. */
const DATA = new Set(['enum', 'const', 'required', 'dependentRequired']);
const MAX_DEPTH = 32;
const MAX_SIZE = 100_000;

/** What a schema demands, without its words, in one order: two that demand the same in the same words are one text. */
export function essenceOf(schema: unknown): JsonSchema {
  const essence = strip(schema, 0) as JsonSchema;
  // Of a schema this large only that there is one is kept.
  return isJsonSchema(essence) && JSON.stringify(essence).length <= MAX_SIZE ? essence : {};
}

function strip(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return depth > MAX_DEPTH ? [] : value.map((one) => strip(one, depth + 1));
  if (!isJsonSchema(value)) return value;
  if (depth > MAX_DEPTH) return {};
  const kept = sorted(value).filter(([key]) => !WORDS.has(key) && !key.startsWith('x-'));
  return Object.fromEntries(kept.map(([key, inner]) => [key, stripUnder(key, inner, depth + 1)]));
}

function stripUnder(key: string, value: unknown, depth: number): unknown {
  if (DATA.has(key)) return value;
  if (!NAMED.has(key) || !isJsonSchema(value)) return strip(value, depth);
  return Object.fromEntries(sorted(value).map(([name, inner]) => [name, strip(inner, depth + 1)]));
}

function sorted(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
