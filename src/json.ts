/** Any JSON object. Unknown keys stay: they are for others to read. */
export type JsonObject = { readonly [key: string]: unknown };

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** JSON Schema as far as this room reads and writes it. */
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

/** The input schema of a tool or capability by its name as the code spells it; undefined if unknown. */
export type ToolSchema = (name: string) => JsonSchema | undefined;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON Schema also allows a boolean; that is not one here. */
export function isJsonSchema(value: unknown): value is JsonSchema {
  return isJsonObject(value);
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** The types that a schema names. Undefined if it names none, or one that JSON Schema does not know: that may mean any. */
export function typesOf({ type }: JsonSchema): readonly string[] | undefined {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.length === 0 || types.length > TYPES.size) return undefined;
  return types.every(isType) ? [...new Set(types)] : undefined;
}

function isType(type: unknown): type is string {
  return typeof type === 'string' && TYPES.has(type);
}

/** What a schema requires, whatever else a stranger put there. */
export function requiredOf({ required }: JsonSchema): readonly string[] {
  return Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
}
