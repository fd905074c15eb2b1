import { MAX_STORED_SCHEMA } from '../../budget.ts';
import { referenceText } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { JsonSchema } from '../../json.ts';
import { jsonFits } from '../../measure.ts';
import type { Capability } from '../../registry/index.ts';

/** One capability of a pipeline, and the version it was named with (`@v1`), if any. */
export interface Step {
  capability: Capability;
  version: string;
}

type Properties = Record<string, JsonSchema>;

/** Part of stored code and so of its hash: it must not change. */
const HEAD = `// A step gets what it knows: an object that came out of the step before, over the arguments; anything else as input.
const over = (result) =>
  typeof result === "object" && result !== null && !Array.isArray(result) ? { ...args, ...result } : { ...args, input: result };
const known = (names, values) => Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));`;

/** Writes code that runs capabilities in sequence and passes the result of each to the next. */
export function pipelineCode(steps: readonly Step[]): string {
  const lines = steps.map(({ capability, version }, index) => {
    const given = index === 0 ? 'args' : `over(step${index})`;
    const names = Object.keys(propertiesOf(capability));
    // A step whose schema is open gets everything.
    const passed = isClosed(capability) ? `known(${JSON.stringify(names)}, ${given})` : given;
    return `const step${index + 1} = await ${referenceText(capability.fqdn + version)}(${passed});`;
  });
  return [HEAD, ...lines, `return step${steps.length};`].join('\n');
}

/** Joins the parameters of all steps. Only the first step's are required: later steps also get results. */
export function pipelineSchema(capabilities: readonly Capability[]): JsonSchema {
  const [first, ...later] = capabilities as [Capability, ...Capability[]];
  for (const [index, one] of later.entries()) refuseDeadEnd(capabilities[index] as Capability, one);
  const properties: Properties = {};
  const owners = new Map<string, Capability>();
  for (const one of capabilities) {
    for (const [name, schema] of Object.entries(propertiesOf(one))) {
      const owner = owners.get(name);
      if (owner) refuseConflict(name, owner, properties[name] as JsonSchema, one, schema);
      properties[name] = owner ? withCommonDefault(properties[name] as JsonSchema, schema) : schema;
      owners.set(name, owner ?? one);
    }
  }
  const required = first.parametersSchema.required as string[] | undefined;
  const isOpen = capabilities.some((one) => !isClosed(one));
  refuseLarge(properties);
  return {
    type: 'object',
    properties,
    ...(required && required.length > 0 && { required }),
    ...(!isOpen && { additionalProperties: false }),
  };
}

function refuseLarge(properties: Properties): void {
  if (jsonFits(properties, MAX_STORED_SCHEMA)) return;
  throw new PmlError(
    'schema_mismatch',
    `Together they take more parameters than a capability can have: their schema exceeds ${MAX_STORED_SCHEMA / 1024} KB.`,
    { hint: 'Pass code that says how to combine them.' },
  );
}

function refuseDeadEnd(before: Capability, next: Capability): void {
  if (!isClosed(next) || Object.keys(propertiesOf(next)).length > 0) return;
  throw new PmlError(
    'schema_mismatch',
    `"${next.name}" takes no arguments, so what "${before.name}" returns cannot reach it.`,
    { hint: 'Pass code that says how to combine them.' },
  );
}

function refuseConflict(
  name: string,
  owner: Capability,
  known: JsonSchema,
  other: Capability,
  schema: JsonSchema,
): void {
  const [one, two] = [typesOf(known), typesOf(schema)];
  if (!one || !two || one.some((type) => two.includes(type))) return;
  throw new PmlError(
    'schema_mismatch',
    `"${name}" is ${one.join(' or ')} for "${owner.name}" and ${two.join(' or ')} for "${other.name}".`,
    { hint: 'Pass code that says how to combine them.' },
  );
}

/** Drops a default on which the steps differ, so that each step applies its own. */
function withCommonDefault(known: JsonSchema, schema: JsonSchema): JsonSchema {
  if (JSON.stringify(known.default) === JSON.stringify(schema.default)) return known;
  const { default: _, ...rest } = known;
  return rest;
}

/** The types that a schema allows; undefined for any. */
function typesOf({ type }: JsonSchema): string[] | undefined {
  if (type === undefined) return undefined;
  return [type].flat().flatMap((one) => (one === 'integer' || one === 'number' ? ['number'] : [String(one)]));
}

function propertiesOf({ parametersSchema }: Capability): Properties {
  return (parametersSchema.properties ?? {}) as Properties;
}

function isClosed({ parametersSchema }: Capability): boolean {
  return parametersSchema.additionalProperties === false;
}
