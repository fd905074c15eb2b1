import { Budget } from '../budget.ts';
import { excerptSchema, resolvePointer } from '../code/index.ts';
import { isJsonObject, type JsonObject, type JsonSchema } from '../json.ts';
import { countValues, jsonFits } from '../json-size.ts';
import type { Catalog } from '../upstream/index.ts';

const COMBINERS = ['anyOf', 'oneOf', 'allOf'] as const;
/** In bytes, twice the size of the largest schema of a known tool. A larger schema is shown as an excerpt. */
const MAX_SHOWN = 256 * 1024;
/** For all tools of one server together: many cheap schemas could also stall everyone. */
const MAX_STEPS = 100_000;
const MAX_DEPTH = 8;

type Tool = Catalog['tools'][number];

const cache = new WeakMap<Catalog, Catalog['tools']>();

/** Lists the tools of a server with schemas that clients accept. */
export function toClientTools(catalog: Catalog): Catalog['tools'] {
  const cached = cache.get(catalog);
  if (cached) return cached;
  const budget = new Budget({ steps: MAX_STEPS });
  const tools = catalog.tools.map((tool) => toClientTool(tool, budget.part()));
  cache.set(catalog, tools);
  return tools;
}

function toClientTool(tool: Tool, budget: Budget): Tool {
  const shown: Tool = { ...tool, inputSchema: toClientSchema(tool.inputSchema, budget) };
  if (tool.outputSchema === undefined || jsonFits(tool.outputSchema, MAX_SHOWN)) return shown;
  // A client can call the tool without its output schema.
  const { outputSchema: _, ...rest } = shown;
  return rest as Tool;
}

/**
 * Makes a schema that clients accept: some silently drop a tool whose schema has `anyOf`, `oneOf` or `allOf` at its root,
 * or no `type: object`. The result is a plain object schema with the properties of all branches, which requires what all
 * of them require. The server still checks every call against the original.
 */
export function toClientSchema(schema: unknown, budget = new Budget()): JsonObject {
  const root = asSchema(schema);
  if (!jsonFits(root, MAX_SHOWN)) return excerptFrom(root, budget);
  if (!COMBINERS.some((key) => key in root) && !('$ref' in root)) {
    return root.type === 'object' ? root : { ...root, type: 'object' };
  }
  const plain = flatten({ root, budget, depth: 0, within: [] }, root);
  const { anyOf, oneOf, allOf, $ref, ...rest } = root;
  const shown = { ...rest, type: 'object', properties: plain.properties, required: plain.required };
  return budget.step(0) && jsonFits(shown, MAX_SHOWN) ? shown : excerptFrom(root, budget);
}

function excerptFrom(root: JsonObject, budget: Budget): JsonObject {
  return { ...excerptSchema(root as JsonSchema, root as JsonSchema, budget), type: 'object' };
}

interface ObjectSchema {
  properties: Record<string, unknown>;
  required: string[];
}

interface Reading {
  readonly root: JsonObject;
  readonly budget: Budget;
  readonly depth: number;
  /** The definitions that are being read: within themselves they add nothing new. */
  readonly within: readonly JsonObject[];
}

function flatten(reading: Reading, schema: JsonObject): ObjectSchema {
  const { root, budget, depth, within } = reading;
  // Past the budget the result is dropped, and an excerpt is shown instead.
  if (!budget.step()) return { properties: {}, required: [] };
  const own: ObjectSchema = {
    properties: { ...(isJsonObject(schema.properties) ? schema.properties : {}) },
    required: Array.isArray(schema.required) ? schema.required.filter((key) => typeof key === 'string') : [],
  };
  if (!budget.step(sizeOf(own)) || depth > MAX_DEPTH) return own;
  const target = typeof schema.$ref === 'string' ? localTarget(schema.$ref, root) : undefined;
  const read = (part: JsonObject) =>
    flatten({ root, budget, depth: depth + 1, within: part === target ? [...within, part] : within }, part);
  const followed = target && !within.includes(target) ? [target] : [];
  const all = [...branches(schema.allOf), ...followed].map(read);
  const plain = all.reduce((a, b) => requireBoth(a, b, budget), own);
  return [schema.anyOf, schema.oneOf]
    .map((list) => branches(list).map(read))
    .filter((parts) => parts.length > 0)
    .map((parts) => parts.reduce((a, b) => requireEither(a, b, budget)))
    .reduce((a, b) => requireBoth(a, b, budget), plain);
}

function sizeOf({ properties, required }: ObjectSchema): number {
  return Object.keys(properties).length + required.length;
}

function requireBoth(a: ObjectSchema, b: ObjectSchema, budget: Budget): ObjectSchema {
  if (!budget.step() || !budget.step(sizeOf(a) + sizeOf(b))) return a;
  return { properties: joinProperties(a, b, budget), required: [...new Set([...a.required, ...b.required])] };
}

function requireEither(a: ObjectSchema, b: ObjectSchema, budget: Budget): ObjectSchema {
  if (!budget.step() || !budget.step(sizeOf(a) + sizeOf(b))) return a;
  const shared = new Set(b.required);
  return {
    properties: joinProperties(a, b, budget),
    required: a.required.filter((key) => shared.has(key)),
  };
}

function joinProperties(a: ObjectSchema, b: ObjectSchema, budget: Budget): Record<string, unknown> {
  const joined = { ...a.properties };
  for (const [key, schema] of Object.entries(b.properties)) {
    const before = joined[key];
    if (before === undefined || before === schema) joined[key] = schema;
    else if (budget.step(countValues(before, MAX_SHOWN) + countValues(schema, MAX_SHOWN)))
      joined[key] =
        JSON.stringify(before) === JSON.stringify(schema)
          ? schema
          : { anyOf: [...alternatives(before), ...alternatives(schema)] };
  }
  return joined;
}

function alternatives(schema: unknown): unknown[] {
  if (isJsonObject(schema) && Array.isArray(schema.anyOf) && Object.keys(schema).length === 1)
    return schema.anyOf;
  return [schema];
}

function localTarget(ref: string, root: JsonObject): JsonObject | undefined {
  const target = ref.startsWith('#/') ? resolvePointer(root, ref.slice(1)) : undefined;
  return isJsonObject(target) ? target : undefined;
}

function branches(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function asSchema(schema: unknown): JsonObject {
  return isJsonObject(schema) ? schema : { type: 'object' };
}
