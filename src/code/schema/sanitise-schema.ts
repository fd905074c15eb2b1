import { Budget } from '../../budget.ts';
import { isJsonSchema, type JsonSchema, requiredOf, typesOf } from '../../json.ts';

/** As deep as a bundle may be. */
const MAX_DEPTH = 40;
/** Compiling takes about 0.1 ms for each. */
const MAX_NODES = 300;

export interface SoundOptions {
  readonly budget?: Budget;
  /** How many levels are read. */
  readonly depth?: number;
}

/**
 * A stored schema as a validator can take it: only the words that PML itself writes, each in a form that means something.
 * A regular expression, which could run for ever, and a reference are none of them. What is left out lets any value pass;
 * defaults always stay, since the code counts on them.
 */
export function sanitiseSchema(
  schema: JsonSchema,
  { budget = new Budget({ nodes: MAX_NODES }), depth = MAX_DEPTH }: SoundOptions = {},
): JsonSchema {
  const standard = schema.default === undefined ? {} : { default: schema.default };
  if (depth === 0 || !budget.node()) return standard;
  const inner = (part: unknown) =>
    isJsonSchema(part) ? sanitiseSchema(part, { budget, depth: depth - 1 }) : {};
  return { ...standard, ...wordsOf(schema, budget), ...partsOf(schema, inner), ...choicesOf(schema, inner) };
}

function wordsOf(schema: JsonSchema, budget: Budget): JsonSchema {
  const words: Record<string, unknown> = {};
  const types = typesOf(schema);
  const { minimum, maximum, enum: choices } = schema;
  const required = [...new Set(requiredOf(schema))];
  if (types) words.type = types.length === 1 ? types[0] : types;
  if (typeof minimum === 'number') words.minimum = minimum;
  if (typeof maximum === 'number') words.maximum = maximum;
  if (required.length > 0 && budget.step(required.length)) words.required = required;
  if (Array.isArray(choices) && choices.length > 0 && budget.keep(choices)) words.enum = choices;
  if (Object.hasOwn(schema, 'const') && budget.keep(schema.const)) words.const = schema.const;
  return words;
}

type Inner = (part: unknown) => JsonSchema;

function partsOf({ properties, items, additionalProperties: others }: JsonSchema, inner: Inner): JsonSchema {
  return {
    ...(isJsonSchema(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, part]) => [name, part === false ? part : inner(part)]),
      ),
    }),
    ...(isJsonSchema(items) && { items: inner(items) }),
    ...(others !== undefined && { additionalProperties: others === false ? others : inner(others) }),
  };
}

/** Of `oneOf` any will do: with something left out of its choices, more than one may fit. */
function choicesOf({ anyOf, oneOf, allOf }: JsonSchema, inner: Inner): JsonSchema {
  const all = [
    ...listOf(allOf).map(inner),
    ...[anyOf, oneOf].map(listOf).flatMap((list) => (list.length > 0 ? { anyOf: list.map(inner) } : [])),
  ];
  return all.length > 0 ? { allOf: all } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
