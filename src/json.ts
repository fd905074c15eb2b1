/** Any JSON object. Keys that PML does not know are kept, since others may read them. */
export type JsonObject = { readonly [key: string]: unknown };

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The part of JSON Schema that PML reads and writes. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly format?: string;
  readonly default?: Json;
  readonly properties?: Readonly<Record<string, JsonSchema | boolean>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema | boolean;
}

/** Finds the input schema of a tool or capability by its name as the code spells it; undefined if unknown. */
export type ToolSchema = (name: string) => JsonSchema | undefined;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a schema that is an object. JSON Schema also allows `true` and `false`, which are handled apart. */
export function isJsonSchema(value: unknown): value is JsonSchema {
  return isJsonObject(value);
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** Lists the types that a schema names. Undefined if it names none, or one that JSON Schema does not know. */
export function typesOf({ type }: JsonSchema): readonly string[] | undefined {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.length === 0 || types.length > TYPES.size) return undefined;
  return types.every(isType) ? [...new Set(types)] : undefined;
}

function isType(type: unknown): type is string {
  return typeof type === 'string' && TYPES.has(type);
}

/** Lists the required names of a schema, without anything else that a stranger put there. */
export function requiredOf({ required }: JsonSchema): readonly string[] {
  return Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
}
