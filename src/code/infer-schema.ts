import { type ArgUse, argUsesOf } from './args.ts';
import { type Node, type Program, valueChildren } from './ast.ts';
import { visitCallValues } from './call-values.ts';
import { sitesOf } from './calls.ts';
import type { Json, JsonSchema, ToolSchema } from './json.ts';
import type { Parameter } from './parameter-names.ts';
import { pathOf } from './paths.ts';
import { scopesOf } from './scope.ts';
import { accepts, excerptOf, sameJson, schemaAt } from './tool-schema.ts';
import { schemaOfType, type TypeNames, typeNamesOf } from './type-schema.ts';

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
  const { uses, escapes } = argUsesOf(program);
  const lifted = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const declared = declaredTypes(program);
  const fed = fedProperties(program, toolSchema);
  const properties = new Map<string, JsonSchema>();
  const required: string[] = [];
  for (const [name, ofName] of grouped(uses, declared)) {
    const parameter = lifted.get(name);
    const type = declared.get(name);
    const fallback = parameter?.secret ? undefined : (parameter?.default ?? commonFallback(ofName));
    const described = { ...fed.get(name), ...type?.schema };
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
    ...(escapes ? {} : { additionalProperties: false }),
  };
}

function grouped(uses: readonly ArgUse[], declared: ReadonlyMap<string, unknown>): Map<string, ArgUse[]> {
  const groups = new Map<string, ArgUse[]>();
  for (const use of uses) {
    const same = groups.get(use.name);
    if (same) same.push(use);
    else groups.set(use.name, [use]);
  }
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

/** What the tools say about the properties that each argument is passed to. */
function fedProperties(program: Program, toolSchema: ToolSchema): Map<string, JsonSchema> {
  const scopes = scopesOf(program);
  const fed = new Map<string, JsonSchema>();
  // One property may be fed a thousand times, by one argument or by many.
  const excerpts = new Map<string, JsonSchema>();
  const noted = new Set<string>();
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
      const place = JSON.stringify([name, path]);
      if (arg === undefined || rest.length > 0 || noted.has(`${arg} ${place}`)) return;
      noted.add(`${arg} ${place}`);
      const about = path && schemaAt(schema, path);
      if (!about) return;
      const before = fed.get(arg);
      const excerpt = excerpts.get(place) ?? excerptOf(schema, about);
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
      ([key, value]) => key === 'description' || sameJson(value as Json, b[key] as Json),
    ),
  );
}

interface Declared {
  readonly schema: JsonSchema;
  readonly optional: boolean;
}

/** Types written down: `args as T`, `const { a }: T = args`, `args.a as string`, `const a: string = args.a`. */
function declaredTypes(program: Program): Map<string, Declared> {
  const scopes = scopesOf(program);
  const names = typeNamesOf(program);
  const found = new Map<string, Declared>();
  const note = (value: Node, type: Node): void => {
    const keys = pathOf(value, 'args', scopes)?.keys;
    if (keys?.length === 0) for (const [name, declared] of membersOf(type, names)) found.set(name, declared);
    const [name] = keys ?? [];
    const schema = keys?.length === 1 && name !== undefined ? schemaOfType(type, names) : {};
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

function membersOf(type: Node, names: TypeNames): [string, Declared][] {
  const { properties = {}, required = [] } = schemaOfType(type, names);
  return Object.entries(properties).map(([name, schema]) => {
    return [name, { schema: typeof schema === 'object' ? schema : {}, optional: !required.includes(name) }];
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
