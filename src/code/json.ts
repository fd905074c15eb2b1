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

export function isJsonSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
