import { Budget } from '../../budget.ts';
import { isJsonSchema, type JsonSchema } from '../../json.ts';
import { fits } from '../../measure.ts';

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
export function canonicalSchema(schema: unknown): JsonSchema {
  const reading = { budget: new Budget({ steps: MAX_SIZE, bytes: MAX_SIZE }), isWhole: true };
  const essence = strip(reading, schema, 0);
  // Of a schema this large only that there is one is kept.
  return reading.isWhole && isJsonSchema(essence) && fits(essence, MAX_SIZE) ? essence : {};
}

interface Reading {
  readonly budget: Budget;
  /** False as soon as it is known to be too large: the rest need not be read. */
  isWhole: boolean;
}

function strip(reading: Reading, value: unknown, depth: number): unknown {
  if (Array.isArray(value))
    return depth > MAX_DEPTH ? [] : value.map((one) => strip(reading, one, depth + 1));
  if (!isJsonSchema(value)) return kept(reading, value);
  if (depth > MAX_DEPTH) return {};
  const demands = Object.entries(value).filter(([key]) => !WORDS.has(key) && !key.startsWith('x-'));
  return each(reading, demands, (inner, key) => stripUnder(reading, key, inner, depth + 1));
}

function stripUnder(reading: Reading, key: string, value: unknown, depth: number): unknown {
  if (DATA.has(key)) return kept(reading, value);
  if (!NAMED.has(key) || !isJsonSchema(value)) return strip(reading, value, depth);
  return each(reading, Object.entries(value), (inner) => strip(reading, inner, depth + 1));
}

/** The entries in one order, each with what `read` makes of it. */
function each(
  reading: Reading,
  entries: [string, unknown][],
  read: (value: unknown, key: string) => unknown,
): object {
  reading.isWhole &&= reading.budget.step(entries.length);
  if (!reading.isWhole) return {};
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, value]) => [kept(reading, key), read(value, key)]));
}

function kept<T>(reading: Reading, value: T): T {
  reading.isWhole &&= reading.budget.keep(value);
  return value;
}
