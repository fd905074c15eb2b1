import { Budget } from '../../budget.ts';
import type { Json, JsonSchema, ToolSchema } from '../../json.ts';
import { type ArgumentUse, argumentUsesOf } from '../references/argument-uses.ts';
import { referenceNodesOf } from '../references/find-references.ts';
import { pathOf } from '../references/global-paths.ts';
import { excerptSchema } from '../schema/excerpt-schema.ts';
import { equalJson, matchesSchema } from '../schema/match-value.ts';
import { schemaAt } from '../schema/tool-schema.ts';
import { schemaOfType, typeNamesOf } from '../schema/type-schema.ts';
import { type Node, type Program, valueChildren } from '../syntax/ast.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { type CallValue, visitCallValues } from './call-values.ts';
import type { Parameter } from './parameter-names.ts';

export interface InferenceSources {
  /** The parameters that `generalise` made of literals. */
  readonly parameters?: readonly Parameter[];
  readonly toolSchema: ToolSchema;
}

/** Infers the schema of a program's arguments from its code, its types and the schemas of its tools. */
export function inferParametersSchema(
  program: Program,
  { parameters = [], toolSchema }: InferenceSources,
): JsonSchema {
  const { uses, escapes } = argumentUsesOf(program);
  const lifted = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const reading = new Budget();
  const declared = declaredTypes(program, reading);
  const fromTools = schemasFromTools(program, toolSchema, reading);
  const budget = new Budget();
  // Lifted parameters come first: without their defaults the capability would do something else.
  budget.keep(parameters);
  const properties = new Map<string, JsonSchema>();
  const required: string[] = [];
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
    };
    const { schema, isRequired } = argumentSchema(argument, budget);
    properties.set(name, schema);
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
}

function argumentSchema(
  { uses, parameter, declared, fromTools }: Argument,
  budget: Budget,
): { schema: JsonSchema; isRequired: boolean } {
  const isSecret = parameter?.secret === true;
  const fallback = isSecret ? undefined : (parameter?.default ?? keptFallback(uses, budget));
  const known = { ...fromTools, ...declared?.schema };
  const described = budget.keep(known) ? known : {};
  // If the schema refused its own default, the capability could not run without arguments.
  const isValid = fallback === undefined || matchesSchema(described, fallback);
  const base = withType(isValid ? described : descriptionOf(described), fallback);
  const isOptional = declared?.optional || uses.some((use) => use.isTested || use.fallback !== undefined);
  return {
    schema: {
      ...base,
      ...(isSecret ? { writeOnly: true } : {}),
      ...(fallback === undefined ? {} : { default: fallback }),
    },
    isRequired: fallback === undefined && (isSecret || !isOptional),
  };
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

/** Collects, for each argument, the tools' schemas of the properties that it is passed to. */
function schemasFromTools(program: Program, toolSchema: ToolSchema, budget: Budget): Map<string, JsonSchema> {
  const scopes = scopesOf(program);
  const schemas = new Map<string, JsonSchema>();
  const excerpts = new Map<string, JsonSchema>();
  const seen = new Set<string>();
  for (const { call, name } of referenceNodesOf(program)) {
    const schema = name === undefined ? undefined : toolSchema(name);
    if (!call || !schema) continue;
    const value = ({ node, path }: CallValue): void => {
      // `args.x ?? 5` passes on `args.x`.
      const source = node.type === 'LogicalExpression' ? node.left : node;
      const [arg, ...rest] = pathOf(source, 'args', scopes)?.keys ?? [];
      const property = path && schemaAt(schema, path);
      if (arg === undefined || rest.length > 0 || !property) return;
      const place = JSON.stringify([name, path]);
      if (seen.has(`${arg} ${place}`)) return;
      seen.add(`${arg} ${place}`);
      const before = schemas.get(arg);
      const excerpt = excerpts.get(place) ?? excerptSchema(schema, property, budget.part());
      excerpts.set(place, excerpt);
      schemas.set(arg, before ? agreement(before, excerpt) : excerpt);
    };
    visitCallValues(call, schema, { value, array: () => true });
  }
  return schemas;
}

/** Keeps the keywords on which two tools agree. */
function agreement(a: JsonSchema, b: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(a).filter(
      ([key, value]) =>
        key === 'description' || (b[key] !== undefined && equalJson(value as Json, b[key] as Json)),
    ),
  );
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

/** Adds the type of a value to a schema that names none. */
function withType(schema: JsonSchema, value: Json | undefined): JsonSchema {
  if (value === undefined || value === null || schema.type !== undefined || schema.enum || schema.anyOf)
    return schema;
  return { ...typeOf(value), ...schema };
}

function typeOf(value: Json): JsonSchema {
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
