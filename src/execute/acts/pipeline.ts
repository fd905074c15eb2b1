import { MAX_STORED_SCHEMA } from '../../budget.ts';
import { ordinalWord, referenceText } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { JsonSchema } from '../../json.ts';
import { jsonFits } from '../../json-size.ts';
import type { Principal } from '../../principal.ts';
import { type Capability, schemaShownTo } from '../../registry/index.ts';

/** One capability of a pipeline, and the version it was named with (`@v1`), if any. */
export interface Step {
  capability: Capability;
  version: string;
}

type Properties = Record<string, JsonSchema>;

/** Part of stored code and so of its hash: it must not change. */
const HEAD = `// A step gets its own arguments, and over them what the step before returned: an object's properties, anything else as input.
const own = (names) => Object.fromEntries(names.flatMap(([name, given]) => (Object.hasOwn(args, given) ? [[name, args[given]]] : [])));
const over = (values, result) =>
  typeof result === "object" && result !== null && !Array.isArray(result) ? { ...values, ...result } : { ...values, input: result };
const known = (names, values) => Object.fromEntries(Object.entries(values).filter(([name]) => names.some(([own]) => own === name)));`;

/** Writes code that runs capabilities in sequence and passes the result of each to the next. */
export function pipelineCode(steps: readonly Step[]): string {
  const names = parameterNames(steps.map(({ capability }) => capability));
  const declared = names.flatMap((pairs) => pairs.map(([, given]) => given));
  // A step whose schema is open also gets the arguments that no step declares.
  const others = `const others = Object.fromEntries(Object.entries(args).filter(([name]) => !${JSON.stringify(declared)}.includes(name)));`;
  const isOpen = steps.some(({ capability }) => !isClosed(capability));
  const lines = steps.map(({ capability, version }, index) => {
    const pairs = JSON.stringify(names[index]);
    const given = isClosed(capability) ? `own(${pairs})` : `{ ...others, ...own(${pairs}) }`;
    const handed = index === 0 ? given : `over(${given}, step${index})`;
    const passed = index > 0 && isClosed(capability) ? `known(${pairs}, ${handed})` : handed;
    return `const step${index + 1} = await ${referenceText(capability.fqdn + version)}(${passed});`;
  });
  return [HEAD, ...(isOpen ? [others] : []), ...lines, `return step${steps.length};`].join('\n');
}

/**
 * Joins the parameters of all steps. Steps share none, since one name may mean different things in two steps. Only the
 * first step's are required: later steps also get results.
 */
export function pipelineSchema(capabilities: readonly Capability[], who?: Principal): JsonSchema {
  const [first, ...later] = capabilities as [Capability, ...Capability[]];
  for (const [index, one] of later.entries()) refuseDeadEnd(capabilities[index] as Capability, one);
  const names = parameterNames(capabilities);
  const properties = Object.fromEntries(
    capabilities.flatMap((one, index) => {
      const own = (schemaShownTo(who, one).properties ?? {}) as Properties;
      return (names[index] ?? []).map(([name, given]) => {
        const schema = own[name] as JsonSchema;
        return [given, given === name ? schema : ofStep(index + 1, name, schema)] as const;
      });
    }),
  );
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

type NamePair = readonly [own: string, given: string];

/** Names each step's parameters: `path`, or `second_path` in the second step if the first one has a `path`. */
function parameterNames(capabilities: readonly Capability[]): readonly (readonly NamePair[])[] {
  const taken = new Set<string>();
  return capabilities.map((capability, index) =>
    Object.keys(propertiesOf(capability)).map((name) => {
      let given = name;
      for (let count = index + 1; taken.has(given); count += 1) given = `${ordinalWord(count)}_${name}`;
      taken.add(given);
      return [name, given] as const;
    }),
  );
}

function ofStep(step: number, name: string, schema: JsonSchema): JsonSchema {
  const { description } = schema;
  return { ...schema, description: `${name} of step ${step}${description ? `: ${description}` : ''}` };
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

function propertiesOf({ parametersSchema }: Capability): Properties {
  return (parametersSchema.properties ?? {}) as Properties;
}

function isClosed({ parametersSchema }: Capability): boolean {
  return parametersSchema.additionalProperties === false;
}
