import { MAX_STORED_SCHEMA } from '../../budget.ts';
import type { JsonSchema } from '../../json.ts';
import { jsonFits } from '../../json-size.ts';

type Properties = Record<string, JsonSchema>;

/**
 * Copies what the former version knew about a parameter if the new code gives neither a default nor an example for it.
 * Copies nothing if the schema would become too large to store.
 */
export function carryOver(former: JsonSchema, next: JsonSchema): JsonSchema {
  const known = (former.properties ?? {}) as Properties;
  const properties = { ...(next.properties as Properties | undefined) };
  let required = (next.required ?? []) as string[];
  for (const [name, schema] of Object.entries(properties)) {
    const before = Object.hasOwn(known, name) ? known[name] : undefined;
    // A parameter with an example must be given, whatever default it had before.
    const isKnown = Object.hasOwn(schema, 'default') || Object.hasOwn(schema, 'examples');
    if (!before || isKnown || !agree(before, schema)) continue;
    properties[name] = { ...before, ...schema };
    if (Object.hasOwn(before, 'default')) required = required.filter((one) => one !== name);
  }
  const { required: _, ...rest } = next;
  const carried = { ...rest, properties, ...(required.length > 0 && { required }) };
  return jsonFits(carried, MAX_STORED_SCHEMA) ? carried : next;
}

function agree(before: JsonSchema, schema: JsonSchema): boolean {
  return schema.type === undefined || JSON.stringify(schema.type) === JSON.stringify(before.type);
}
