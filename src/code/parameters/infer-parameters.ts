import { Budget } from '../../budget.ts';
import type { Json, JsonSchema } from '../../json.ts';
import { type ArgumentUse, argumentUsesOf } from '../references/argument-uses.ts';
import { pathOf } from '../references/global-paths.ts';
import { equalJson, matchesSchema } from '../schema/match-value.ts';
import { schemaOfType, typeNamesOf } from '../schema/type-schema.ts';
import { type Node, type Program, valueChildren } from '../syntax/ast.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import type { Callees } from './callees.ts';
import { describeUses } from './describe-uses.ts';
import { ordinalWord } from './ordinals.ts';
import type { Parameter } from './parameter-names.ts';
import { schemasFromSql } from './sql-holes.ts';
import { acceptsValue, narrowed } from './sql-schemas.ts';
import { schemasFromTools } from './tool-parameters.ts';

export interface InferenceSources extends Callees {
  /** The parameters that `generalise` made of literals. */
  readonly parameters?: readonly Parameter[];
  /** The values of the linked parameters, for their types alone: they must not be stored. */
  readonly linked?: Readonly<Record<string, Json>> | undefined;
  /** The arguments that the program ran with. */
  readonly given?: Readonly<Record<string, Json>> | undefined;
}

/** Infers the schema of a program's arguments from its code, its types and the schemas of its tools. */
export function inferParametersSchema(
  program: Program,
  { parameters = [], linked = {}, given = {}, ...callees }: InferenceSources,
): JsonSchema {
  const { uses, escapes } = argumentUsesOf(program);
  const lifted = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const reading = new Budget();
  const declared = declaredTypes(program, reading);
  const fromTools = schemasFromTools(program, callees, reading);
  const inSql = schemasFromSql(program);
  const budget = new Budget();
  // Lifted parameters come first: without their defaults the capability would do something else.
  budget.keep(parameters);
  const properties = new Map<string, JsonSchema>();
  const required: string[] = [];
  const told = new Map<string, number>();
  let isComplete = true;
  for (const [name, usesOfName] of groupByName(uses, declared)) {
    const parameter = lifted.get(name);
    if (!parameter && !budget.keep({ [name]: name })) {
      isComplete = false;
      continue;
    }
    const argument = {
      uses: usesOfName,
      parameter,
      declared: declared.get(name),
      fromTools: fromTools.get(name),
      inSql: inSql.get(name),
      use: describeUses(program, usesOfName),
      given: Object.hasOwn(given, name) ? given[name] : undefined,
      linked: parameter?.linkedTo === undefined ? undefined : linked[name],
    };
    const { schema, isRequired } = argumentSchema(argument, budget);
    properties.set(name, toldApart(schema, told));
    if (isRequired) required.push(name);
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    ...(escapes || !isComplete ? {} : { additionalProperties: false }),
  };
}

/** All that is known about one argument. */
interface Argument {
  readonly uses: readonly ArgumentUse[];
  readonly parameter: Parameter | undefined;
  readonly declared: Declared | undefined;
  readonly fromTools: JsonSchema | undefined;
  /** The values that may stand where the code writes it into SQL. */
  readonly inSql: JsonSchema | undefined;
  /** What the code does with it, in words. */
  readonly use: string | undefined;
  /** The value that the run got. */
  readonly given: Json | undefined;
  /** The value that the run took from an earlier call. */
  readonly linked: Json | undefined;
}

function argumentSchema(
  { uses, parameter, declared, fromTools, inSql, use, given, linked }: Argument,
  budget: Budget,
): { schema: JsonSchema; isRequired: boolean } {
  const isSecret = parameter?.secret === true;
  const required = parameter?.example;
  const linkedTo = parameter?.linkedTo;
  const isGiven = (isSecret || required !== undefined) && linkedTo === undefined;
  const example = required ?? exampleOf(given);
  const fallback =
    isGiven || linkedTo !== undefined ? undefined : (parameter?.default ?? keptFallback(uses, budget));
  const known = { ...fromTools, ...declared?.schema, ...descriptionFrom(use, fromTools, linkedTo) };
  const described = budget.keep(known) ? known : {};
  // If the schema refused its own default or example, the capability could not do what the first run did.
  const passed = [required, given, fallback, linked].filter((value) => value !== undefined);
  // The code takes null for an argument that is missing.
  const isNullable = linkedTo !== undefined && matchesSchema(described, null);
  const isValid = !isNullable && passed.every((value) => matchesSchema(described, value));
  const typed = withType(isValid ? described : descriptionOf(described), passed);
  const isKept = inSql !== undefined && passed.every((value) => acceptsValue(inSql, value));
  const kept = parameter?.schema ?? (isKept ? inSql : undefined);
  const base = kept ? narrowed(typed, kept) : typed;
  const isOptional =
    linkedTo !== undefined ||
    declared?.optional ||
    uses.some((use) => use.isTested || use.fallback !== undefined);
  return {
    schema: {
      ...base,
      ...(isSecret ? { writeOnly: true } : {}),
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(example === undefined ? {} : { examples: [example] }),
    },
    isRequired: fallback === undefined && (isGiven || !isOptional),
  };
}

/** Numbers a description that another parameter has, too: no two have one text. */
function toldApart(schema: JsonSchema, told: Map<string, number>): JsonSchema {
  const { description } = schema;
  if (description === undefined) return schema;
  const count = (told.get(description) ?? 0) + 1;
  told.set(description, count);
  return count === 1
    ? schema
    : { ...schema, description: `${description} (${ordinalWord(count).replace('_', '-')})` };
}

/** Begins the part of a description that says which result an argument defaults to. */
const LINK = 'default: ';

/** True for the schema of a parameter that defaults to what an earlier call returns. */
export function isLinked({ description = '' }: JsonSchema): boolean {
  return description.split('; ').some((part) => part.startsWith(LINK));
}

function descriptionFrom(
  use: string | undefined,
  fromTools: JsonSchema | undefined,
  linkedTo: string | undefined,
): JsonSchema {
  const usual = linkedTo === undefined ? undefined : `${LINK}${linkedTo}`;
  const parts = [use, fromTools?.description, usual].filter((part) => part !== undefined);
  return parts.length === 0 ? {} : { description: parts.join('; ') };
}

function groupByName(
  uses: readonly ArgumentUse[],
  declared: ReadonlyMap<string, unknown>,
): Map<string, ArgumentUse[]> {
  const groups = Map.groupBy(uses, ({ name }) => name);
  // Arguments that are declared and never read are accepted as well.
  for (const name of declared.keys()) if (!groups.has(name)) groups.set(name, []);
  return groups;
}

/** Returns the default that all uses share: one that only some have would change what the others see. */
function commonFallback(uses: readonly ArgumentUse[]): Json | undefined {
  const first = uses[0]?.fallback?.value;
  if (first === undefined) return undefined;
  return uses.every(({ fallback }) => fallback?.value !== undefined && equalJson(fallback.value, first))
    ? first
    : undefined;
}

/** Returns the common default if the schema has room for it. The code uses it in any case. */
function keptFallback(uses: readonly ArgumentUse[], budget: Budget): Json | undefined {
  const fallback = commonFallback(uses);
  return fallback === undefined || !budget.keep(fallback) ? undefined : fallback;
}

interface Declared {
  readonly schema: JsonSchema;
  readonly optional: boolean;
}

/** Reads the stated types: `args as T`, `const { a }: T = args`, `args.a as string`, `const a: string = args.a`. */
function declaredTypes(program: Program, budget: Budget): Map<string, Declared> {
  const scopes = scopesOf(program);
  const names = typeNamesOf(program);
  const found = new Map<string, Declared>();
  const note = (value: Node, type: Node): void => {
    const keys = pathOf(value, 'args', scopes)?.keys;
    const read = () => schemaOfType(type, names, budget.part());
    if (keys?.length === 0) for (const [name, declared] of membersOf(read())) found.set(name, declared);
    const [name] = keys ?? [];
    const schema = keys?.length === 1 && name !== undefined ? read() : {};
    if (name !== undefined && Object.keys(schema).length > 0) found.set(name, { schema, optional: false });
  };
  const pending: Node[] = [...program.body];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression')
      note(node.expression, node.typeAnnotation);
    if (
      node.type === 'VariableDeclarator' &&
      node.init &&
      'typeAnnotation' in node.id &&
      node.id.typeAnnotation
    ) {
      note(node.init, node.id.typeAnnotation);
    }
    pending.push(...valueChildren(node));
  }
  return found;
}

function membersOf({ properties = {}, required = [] }: JsonSchema): [string, Declared][] {
  const needed = new Set(required);
  return Object.entries(properties).map(([name, schema]) => {
    return [name, { schema: typeof schema === 'object' ? schema : {}, optional: !needed.has(name) }];
  });
}

/** Values longer than this are no examples. */
const MAX_EXAMPLE = 200;

function exampleOf(given: Json | undefined): Json | undefined {
  return given !== undefined && given !== null && JSON.stringify(given).length <= MAX_EXAMPLE
    ? given
    : undefined;
}

/** Adds the type and format of the values that were passed to a schema that names none. */
function withType(schema: JsonSchema, values: readonly Json[]): JsonSchema {
  if (schema.type !== undefined || schema.enum || schema.anyOf) return schema;
  const types = values.filter((value) => value !== null).map(typeOf);
  const [first] = types;
  if (!first || types.some(({ type }) => type !== first.type)) return schema;
  const { format, ...plain } = first;
  // A list of other items also ran.
  if (types.some(({ items }) => !equalJson(items as Json, first.items as Json))) delete plain.items;
  const type = values.includes(null) ? [String(first.type), 'null'] : first.type;
  if (format === undefined || types.some((one) => one.format !== format))
    return { ...plain, type, ...schema };
  const description = [schema.description, FORMATS[format]].filter(Boolean).join(', ');
  return { ...plain, format, type, ...schema, description };
}

const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** How people write the formats that are told. A format is a hint: PML refuses no value for it. */
const FORMATS: Readonly<Record<string, string>> = { date: 'YYYY-MM-DD', 'date-time': 'YYYY-MM-DDThh:mm:ssZ' };

function typeOf(value: Json): JsonSchema {
  if (typeof value === 'string' && DATE.test(value)) return { type: 'string', format: 'date' };
  if (typeof value === 'string' && INSTANT.test(value)) return { type: 'string', format: 'date-time' };
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { type: 'object' };
  if (!Array.isArray(value)) return { type: typeof value };
  const types = new Set(
    value.map((item) => (item !== null && typeof item !== 'object' ? typeof item : undefined)),
  );
  const [only] = types;
  return types.size === 1 && only !== undefined
    ? { type: 'array', items: { type: only } }
    : { type: 'array' };
}

function descriptionOf({ description }: JsonSchema): JsonSchema {
  return description === undefined ? {} : { description };
}
