import { widenSchema } from '../../code/index.ts';
import { isJsonSchema, type Json, type JsonSchema } from '../../json.ts';
import type { Principal } from '../../principal.ts';
import { storedText } from '../../stored-texts.ts';
import type { Capability } from '../record/capability.ts';
import type { Registry } from '../trust/signature.ts';
import { reviseParameters } from './revise-parameters.ts';

/** Adds descriptions to the named parameters that have none; `replace` also overwrites those that have one. */
export function describeParameters(
  registry: Registry,
  who: Principal,
  name: string,
  descriptions: Readonly<Record<string, string>>,
  { replace = false } = {},
): Promise<Capability> {
  const revise = (schema: JsonSchema) => withDescriptions(schema, descriptions, replace);
  return reviseParameters(registry, who, name, revise, 'described its parameters');
}

/** Lets the parameters take arguments with which the code ran, though they were of another type until now. */
export function widenParameters(
  registry: Registry,
  who: Principal,
  name: string,
  given: Readonly<Record<string, Json>>,
): Promise<Capability> {
  return reviseParameters(
    registry,
    who,
    name,
    (schema) => widenSchema(schema, given),
    'widened its parameters',
  );
}

/** Adds the descriptions to known parameters. Returns the same schema if that changes nothing. */
function withDescriptions(
  schema: JsonSchema,
  descriptions: Readonly<Record<string, string>>,
  replace: boolean,
): JsonSchema {
  const { properties = {} } = schema;
  const added = Object.entries(properties).flatMap(([name, property]) => {
    const text = Object.hasOwn(descriptions, name) ? descriptions[name] : undefined;
    if (!text || !isJsonSchema(property) || (property.description && !replace)) return [];
    if (property.description === text) return [];
    return [[name, { ...property, description: storedText('problem', text) }]];
  });
  return added.length === 0
    ? schema
    : { ...schema, properties: { ...properties, ...Object.fromEntries(added) } };
}
