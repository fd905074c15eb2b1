import { isJsonSchema, type JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';

interface Made {
  readonly createdBy: string;
  readonly parametersSchema: JsonSchema;
}

/** The parameters as a principal may see them: examples are data of the maker's own run, so only the maker sees them. */
export function schemaShownTo(who: Principal | undefined, { createdBy, parametersSchema }: Made): JsonSchema {
  return who?.user === createdBy ? parametersSchema : withoutExamples(parametersSchema);
}

/** Drops the examples of all parameters. */
export function withoutExamples(schema: JsonSchema): JsonSchema {
  const { properties } = schema;
  if (!isJsonSchema(properties) || !Object.values(properties).some(hasExamples)) return schema;
  const shown = Object.entries(properties).map(([name, property]) => {
    if (!hasExamples(property)) return [name, property];
    const { examples: _, ...rest } = property;
    return [name, rest];
  });
  return { ...schema, properties: Object.fromEntries(shown) };
}

function hasExamples(schema: unknown): schema is JsonSchema {
  return isJsonSchema(schema) && Object.hasOwn(schema, 'examples');
}
