import { isJsonSchema, type JsonSchema, requiredOf } from '../../json.ts';
import { jsonFits } from '../../json-size.ts';
import { type Callable, nameFor, schemaShownTo, toolName, withoutExamples } from '../../registry/index.ts';
import { repeatCall } from '../arguments/example-call.ts';
import type { Run } from '../run/run.ts';
import type { RememberedAnswer } from './answer.ts';

/** Larger schemas are shown by their types alone. */
const MAX_SCHEMA_BYTES = 2000;
const MAX_PARAMETERS = 30;

/** Says how to call what was remembered, with the arguments of the run, so that the next call needs no list of tools. */
export function sayRemembered(
  { who, listedNames }: Pick<Run, 'who' | 'listedNames'>,
  capability: Callable,
  given: Readonly<Record<string, unknown>>,
): RememberedAnswer {
  const name = nameFor(who, capability);
  return {
    name,
    tool: capability.named ? toolName(capability.listedName, listedNames) : null,
    call: repeatCall({ ...capability, name }, given),
    // The call shows the values of the run already.
    parameters: briefly(withoutExamples(schemaShownTo(who, capability))),
  };
}

function briefly(schema: JsonSchema): JsonSchema {
  if (jsonFits(schema, MAX_SCHEMA_BYTES)) return schema;
  const properties = isJsonSchema(schema.properties) ? schema.properties : {};
  const required = requiredOf(schema);
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const shown = [...required, ...optional].slice(0, MAX_PARAMETERS);
  return {
    type: 'object',
    properties: Object.fromEntries(shown.map((name) => [name, typeAlone(properties[name])])),
    required: required.slice(0, MAX_PARAMETERS),
  };
}

function typeAlone(schema: unknown): JsonSchema {
  const { type } = isJsonSchema(schema) ? schema : {};
  return type === undefined ? {} : { type };
}
