import { Budget } from '../budget.ts';
import { excerptSchema } from '../code/index.ts';
import { isJsonObject, type JsonObject, type JsonSchema } from '../json.ts';
import { countValues, jsonFits } from '../measure.ts';
import type { Catalog } from '../upstream/index.ts';

const COMBINERS = ['anyOf', 'oneOf', 'allOf'] as const;
/** In bytes, twice the largest that a real tool was seen to have. Of a larger one an excerpt is shown. */
const MAX_SHOWN = 256 * 1024;
/** For all tools of one server together: many that each cost a little would stall everyone, too. */
const MAX_STEPS = 100_000;
const MAX_DEPTH = 8;
const LONGEST_POINTER = 1000;

type Tool = Catalog['tools'][number];

const presented = new WeakMap<Catalog, Catalog['tools']>();

/** The tools of a server with their schemas as clients can take them. */
export function toClientTools(catalog: Catalog): Catalog['tools'] {
  const known = presented.get(catalog);
  if (known) return known;
  const budget = new Budget({ steps: MAX_STEPS });
  const tools = catalog.tools.map((tool) => presentTool(tool, budget.part()));
  presented.set(catalog, tools);
  return tools;
}

function presentTool(tool: Tool, budget: Budget): Tool {
  const shown: Tool = { ...tool, inputSchema: toClientSchema(tool.inputSchema, budget) };
  if (tool.outputSchema === undefined || jsonFits(tool.outputSchema, MAX_SHOWN)) return shown;
  // It only promises something of what comes back.
  const { outputSchema: _, ...rest } = shown;
  return rest as Tool;
}

/**
 * The schema as clients can take it: some silently drop a tool whose schema has `anyOf`, `oneOf` or `allOf` at its root,
 * or no `type: object`. What is shown is a plain object with the properties of all branches and the requirements they
 * share; the server still checks every call against the original.
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

interface Plain {
  properties: Record<string, unknown>;
  required: string[];
}

interface Reading {
  readonly root: JsonObject;
  readonly budget: Budget;
  readonly depth: number;
  /** The definitions that are being read: within themselves they say nothing new. */
  readonly within: readonly JsonObject[];
}

function flatten(reading: Reading, schema: JsonObject): Plain {
  const { root, budget, depth, within } = reading;
  // Past the budget an excerpt is shown instead of all this.
  if (!budget.step()) return { properties: {}, required: [] };
  const own: Plain = {
    properties: { ...(isJsonObject(schema.properties) ? schema.properties : {}) },
    required: Array.isArray(schema.required) ? schema.required.filter((key) => typeof key === 'string') : [],
  };
  if (!budget.step(sizeOf(own)) || depth > MAX_DEPTH) return own;
  const target = typeof schema.$ref === 'string' ? localTarget(schema.$ref, root) : undefined;
  const read = (part: JsonObject) =>
    flatten({ root, budget, depth: depth + 1, within: part === target ? [...within, part] : within }, part);
  const followed = target && !within.includes(target) ? [target] : [];
  const all = [...branches(schema.allOf), ...followed].map(read);
  const plain = all.reduce((a, b) => both(a, b, budget), own);
  return [schema.anyOf, schema.oneOf]
    .map((list) => branches(list).map(read))
    .filter((parts) => parts.length > 0)
    .map((parts) => parts.reduce((a, b) => either(a, b, budget)))
    .reduce((a, b) => both(a, b, budget), plain);
}

function sizeOf({ properties, required }: Plain): number {
  return Object.keys(properties).length + required.length;
}

function both(a: Plain, b: Plain, budget: Budget): Plain {
  if (!budget.step() || !budget.step(sizeOf(a) + sizeOf(b))) return a;
  return { properties: joinProperties(a, b, budget), required: [...new Set([...a.required, ...b.required])] };
}

function either(a: Plain, b: Plain, budget: Budget): Plain {
  if (!budget.step() || !budget.step(sizeOf(a) + sizeOf(b))) return a;
  const shared = new Set(b.required);
  return {
    properties: joinProperties(a, b, budget),
    required: a.required.filter((key) => shared.has(key)),
  };
}

function joinProperties(a: Plain, b: Plain, budget: Budget): Record<string, unknown> {
  const joined = { ...a.properties };
  for (const [key, schema] of Object.entries(b.properties)) {
    const former = joined[key];
    if (former === undefined || former === schema) joined[key] = schema;
    else if (budget.step(countValues(former, MAX_SHOWN) + countValues(schema, MAX_SHOWN)))
      joined[key] =
        JSON.stringify(former) === JSON.stringify(schema)
          ? schema
          : { anyOf: [...alternatives(former), ...alternatives(schema)] };
  }
  return joined;
}

function alternatives(schema: unknown): unknown[] {
  if (isJsonObject(schema) && Array.isArray(schema.anyOf) && Object.keys(schema).length === 1)
    return schema.anyOf;
  return [schema];
}

function localTarget(ref: string, root: JsonObject): JsonObject | undefined {
  if (!ref.startsWith('#/') || ref.length > LONGEST_POINTER) return undefined;
  let at: unknown = root;
  for (const step of ref.slice(2).split('/')) {
    at = isJsonObject(at) ? at[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  }
  return isJsonObject(at) ? at : undefined;
}

function branches(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function asSchema(schema: unknown): JsonObject {
  return isJsonObject(schema) ? schema : { type: 'object' };
}
