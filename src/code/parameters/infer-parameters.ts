import { Budget } from '../../budget.ts';
import type { Json, JsonSchema, ToolSchema } from '../../json.ts';
import { type ArgUse, argumentUsesOf } from '../references/argument-uses.ts';
import { sitesOf } from '../references/find-references.ts';
import { pathOf } from '../references/global-paths.ts';
import { accepts, sameJson } from '../schema/match-value.ts';
import { excerptSchema, schemaAt } from '../schema/tool-schema.ts';
import { schemaOfType, typeNamesOf } from '../schema/type-schema.ts';
import { type Node, type Program, valueChildren } from '../syntax/ast.ts';
import { scopesOf } from '../syntax/scope.ts';
import { visitCallValues } from './call-values.ts';
import type { Parameter } from './parameter-names.ts';

export interface InferenceSources {
  /** What `generalise` made of the literals. */
  readonly parameters?: readonly Parameter[];
  readonly toolSchema: ToolSchema;
}

/** The schema of the arguments that a program takes, from all that the code and its tools tell about them. */
export function inferParametersSchema(
  program: Program,
  { parameters = [], toolSchema }: InferenceSources,
): JsonSchema {
  const { uses, escapes } = argumentUsesOf(program);
  const lifted = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const reading = new Budget();
  const declared = declaredTypes(program, reading);
  const fed = fedProperties(program, toolSchema, reading);
  const budget = new Budget();
  // First of all: without the defaults that stood in the code, the capability would do something else.
  budget.keep(parameters);
  const properties = new Map<string, JsonSchema>();
  const required: string[] = [];
  let isWhole = true;
  for (const [name, ofName] of grouped(uses, declared)) {
    const parameter = lifted.get(name);
    if (!parameter && !budget.keep({ [name]: name })) {
      isWhole = false;
      continue;
    }
    const type = declared.get(name);
    const fallback = parameter?.secret ? undefined : (parameter?.default ?? keptFallback(ofName, budget));
    const known = { ...fed.get(name), ...type?.schema };
    const described = budget.keep(known) ? known : {};
    // A default that its own schema refuses would make the capability refuse to run without arguments.
    const isFit = fallback === undefined || accepts(described, fallback);
    const base = isFit ? typed(described, fallback) : typed(descriptionOf(described), fallback);
    properties.set(name, {
      ...base,
      ...(parameter?.secret ? { writeOnly: true } : {}),
      ...(fallback === undefined ? {} : { default: fallback }),
    });
    const isOptional = type?.optional || ofName.some((use) => use.isTested || use.fallback !== undefined);
    if (fallback === undefined && (parameter?.secret || !isOptional)) required.push(name);
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    ...(escapes || !isWhole ? {} : { additionalProperties: false }),
  };
}

function grouped(uses: readonly ArgUse[], declared: ReadonlyMap<string, unknown>): Map<string, ArgUse[]> {
  const groups = Map.groupBy(uses, ({ name }) => name);
  // Declared and never read: taken all the same.
  for (const name of declared.keys()) if (!groups.has(name)) groups.set(name, []);
  return groups;
}

/** The default that holds for every use: one that only some uses have would change what the others see. */
function commonFallback(uses: readonly ArgUse[]): Json | undefined {
  const first = uses[0]?.fallback?.value;
  if (first === undefined) return undefined;
  return uses.every(({ fallback }) => fallback?.value !== undefined && sameJson(fallback.value, first))
    ? first
    : undefined;
}

/** The same, if the schema has room for it; the code takes it all the same. */
function keptFallback(uses: readonly ArgUse[], budget: Budget): Json | undefined {
  const fallback = commonFallback(uses);
  return fallback === undefined || !budget.keep(fallback) ? undefined : fallback;
}

/** What the tools say about the properties that each argument is passed to. */
function fedProperties(program: Program, toolSchema: ToolSchema, budget: Budget): Map<string, JsonSchema> {
  const scopes = scopesOf(program);
  const fed = new Map<string, JsonSchema>();
  const excerpts = new Map<string, JsonSchema>();
  const seen = new Set<string>();
  for (const { call, name } of sitesOf(program)) {
    const schema = name === undefined ? undefined : toolSchema(name);
    if (!call || !schema) continue;
    const value = ({
      node,
      path,
    }: {
      node: Node;
      path: Parameters<typeof schemaAt>[1] | undefined;
    }): void => {
      // `args.x ?? 5` feeds what `args.x` does.
      const source = node.type === 'LogicalExpression' ? node.left : node;
      const [arg, ...rest] = pathOf(source, 'args', scopes)?.keys ?? [];
      const about = path && schemaAt(schema, path);
      if (arg === undefined || rest.length > 0 || !about) return;
      const place = JSON.stringify([name, path]);
      if (seen.has(`${arg} ${place}`)) return;
      seen.add(`${arg} ${place}`);
      const before = fed.get(arg);
      const excerpt = excerpts.get(place) ?? excerptSchema(schema, about, budget.part());
      excerpts.set(place, excerpt);
      fed.set(arg, before ? agreement(before, excerpt) : excerpt);
    };
    visitCallValues(call, schema, { value, array: () => true });
  }
  return fed;
}

/** What two tools both say about one argument. */
function agreement(a: JsonSchema, b: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(a).filter(
      ([key, value]) =>
        key === 'description' || (b[key] !== undefined && sameJson(value as Json, b[key] as Json)),
    ),
  );
}

interface Declared {
  readonly schema: JsonSchema;
  readonly optional: boolean;
}

/** Types written down: `args as T`, `const { a }: T = args`, `args.a as string`, `const a: string = args.a`. */
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

function typed(schema: JsonSchema, value: Json | undefined): JsonSchema {
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
