import { isDeepStrictEqual } from 'node:util';
import { printSignature } from '../../code/index.ts';
import { isJsonObject, type JsonSchema, requiredOf } from '../../json.ts';
import { jsonFits } from '../../json-size.ts';
import type { Principal } from '../../principal.ts';
import { type Callable, withoutExamples } from '../../registry/index.ts';
import { HIDDEN } from '../../secrets/index.ts';

/** In bytes of JSON: longer values are shortened, so that all parameters are shown. */
const MAX_ARGUMENTS = 1000;
const MAX_VALUE = 60;
const MAX_SIGNATURE = 800;
const MAX_HINT = 2500;

/** A capability, or code that may become one. */
export type CalledCode = Pick<Callable, 'name' | 'fqdn' | 'version' | 'parametersSchema'> &
  Partial<Pick<Callable, 'createdBy'>>;

/** Shows how to call a capability: the maker by an example, with the values of the first run; others by its signature. */
export function exampleCall(
  who: Principal | undefined,
  capability: CalledCode,
  given: Readonly<Record<string, unknown>>,
): string {
  const { name, parametersSchema, createdBy } = capability;
  if (who === undefined || who.user !== createdBy)
    return `Call it as ${printSignature(name, parametersSchema, { limit: MAX_SIGNATURE })}`;
  const args = exampleArguments(parametersSchema, given);
  const call = `pml_execute(${JSON.stringify({ intent: `use ${name}`, capability: name, args })})`;
  return `For example: ${call}`.slice(0, MAX_HINT);
}

/**
 * Shows the call of a capability that does what a run did, with the run's own arguments where the capability takes
 * them. Other required arguments are shown by their types, since its examples belong to its maker; secrets by their names.
 */
export function repeatCall(
  { name, parametersSchema }: CalledCode,
  given: Readonly<Record<string, unknown>>,
): string {
  const properties = isJsonObject(parametersSchema.properties) ? parametersSchema.properties : {};
  const taken = Object.entries(given).filter(([key, value]) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return isJsonObject(property) && !isDeepStrictEqual(property.default, value);
  });
  const required = exampleArguments(withoutExamples(parametersSchema), given);
  const whole = Object.entries({ ...required, ...Object.fromEntries(taken) });
  const all = Object.fromEntries(whole.map(([key, value]) => [key, value === HIDDEN ? `<${key}>` : value]));
  const args = jsonFits(all, MAX_ARGUMENTS) ? all : mapValues(all, shortened);
  return `pml_execute(${JSON.stringify({ intent: `use ${name}`, capability: name, args })})`.slice(
    0,
    MAX_HINT,
  );
}

function mapValues(
  record: Readonly<Record<string, unknown>>,
  map: (value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

/** Every required argument: as given, else as in the first run, else its type. */
function exampleArguments(
  schema: JsonSchema,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const whole = requiredOf(schema).map((name) => {
    if (Object.hasOwn(given, name)) return [name, given[name]] as const;
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, isJsonObject(property) ? sampleOf(property) : '…'] as const;
  });
  const fits = jsonFits(Object.fromEntries(whole), MAX_ARGUMENTS);
  return Object.fromEntries(fits ? whole : whole.map(([name, value]) => [name, shortened(value)]));
}

function sampleOf({ examples, type, enum: choices }: JsonSchema): unknown {
  const [first] = Array.isArray(examples) ? examples : [choices?.[0]];
  return first ?? `<${[type ?? 'value'].flat().join(' or ')}>`;
}

function shortened(value: unknown): unknown {
  if (jsonFits(value, MAX_VALUE)) return value;
  return typeof value === 'string' ? `${value.slice(0, MAX_VALUE)}…` : '…';
}
