import { Budget } from '../../budget.ts';
import { isJsonSchema, type JsonSchema } from '../../json.ts';
import { jsonFits } from '../../json-size.ts';

/** Keywords for readers: without them, a schema accepts the same values. */
const ANNOTATIONS = new Set([
  ...['title', 'description', 'examples', 'default', 'deprecated', 'readOnly', 'writeOnly'],
  ...['$schema', '$id', '$comment', 'contentMediaType', 'contentEncoding', 'format'],
]);
/** Keywords that hold subschemas by name: the keys inside them are names, not keywords. */
const SCHEMAS_BY_NAME = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords that hold data, not schemas. */
const DATA = new Set(['enum', 'const', 'required', 'dependentRequired']);
const MAX_DEPTH = 32;
const MAX_SIZE = 100_000;

/** Strips annotations and sorts keys, so that schemas that differ in nothing else become equal. `{}` for one too large. */
export function canonicalSchema(schema: unknown): JsonSchema {
  const reading = { budget: new Budget({ steps: MAX_SIZE, bytes: MAX_SIZE }), isComplete: true };
  const canonical = strip(reading, schema, 0);
  return reading.isComplete && isJsonSchema(canonical) && jsonFits(canonical, MAX_SIZE) ? canonical : {};
}

interface Reading {
  readonly budget: Budget;
  /** Becomes false once the schema is too large: the rest is not read. */
  isComplete: boolean;
}

function strip(reading: Reading, value: unknown, depth: number): unknown {
  if (Array.isArray(value))
    return depth > MAX_DEPTH ? [] : value.map((one) => strip(reading, one, depth + 1));
  if (!isJsonSchema(value)) return counted(reading, value);
  if (depth > MAX_DEPTH) return {};
  const assertions = Object.entries(value).filter(([key]) => !ANNOTATIONS.has(key) && !key.startsWith('x-'));
  return mapSorted(reading, assertions, (inner, key) => stripUnder(reading, key, inner, depth + 1));
}

function stripUnder(reading: Reading, key: string, value: unknown, depth: number): unknown {
  if (DATA.has(key)) return counted(reading, value);
  if (!SCHEMAS_BY_NAME.has(key) || !isJsonSchema(value)) return strip(reading, value, depth);
  return mapSorted(reading, Object.entries(value), (inner) => strip(reading, inner, depth + 1));
}

/** Builds an object of the entries in sorted order, each value mapped by `read`. */
function mapSorted(
  reading: Reading,
  entries: [string, unknown][],
  read: (value: unknown, key: string) => unknown,
): object {
  reading.isComplete &&= reading.budget.step(entries.length);
  if (!reading.isComplete) return {};
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, value]) => [counted(reading, key), read(value, key)]));
}

/** Charges a value to the budget. */
function counted<T>(reading: Reading, value: T): T {
  reading.isComplete &&= reading.budget.keep(value);
  return value;
}
