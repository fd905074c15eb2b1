import type { Node, Program } from './ast.ts';
import { constantOf } from './constants.ts';
import type { Json, JsonSchema } from './json.ts';

const MAX_DEPTH = 8;

/** The types a program names itself. */
export type TypeNames = ReadonlyMap<string, Node>;

export function typeNamesOf(program: Program): TypeNames {
  const names = new Map<string, Node>();
  for (const node of program.body) {
    if (node.type === 'TSTypeAliasDeclaration') names.set(node.id.name, node.typeAnnotation);
    if (node.type === 'TSInterfaceDeclaration') names.set(node.id.name, node.body);
  }
  return names;
}

/** JSON Schema of a TypeScript type; `{}` for what JSON cannot tell. */
export function schemaOfType(type: Node, names: TypeNames, depth = 0): JsonSchema {
  if (depth > MAX_DEPTH) return {};
  const inner = (node: Node): JsonSchema => schemaOfType(node, names, depth + 1);
  switch (type.type) {
    case 'TSStringKeyword':
      return { type: 'string' };
    case 'TSNumberKeyword':
      return { type: 'number' };
    case 'TSBooleanKeyword':
      return { type: 'boolean' };
    case 'TSNullKeyword':
      return { type: 'null' };
    case 'TSObjectKeyword':
      return { type: 'object' };
    case 'TSArrayType':
      return { type: 'array', items: inner(type.elementType) };
    case 'TSTupleType':
      return { type: 'array' };
    case 'TSTypeAnnotation':
    case 'TSParenthesizedType':
    case 'TSTypeOperator':
      return inner(type.typeAnnotation);
    case 'TSLiteralType': {
      const value = constantOf(type.literal);
      return value === undefined ? {} : { enum: [value] };
    }
    case 'TSUnionType':
      return union(type.types.filter(({ type: kind }) => kind !== 'TSUndefinedKeyword').map(inner));
    case 'TSTypeLiteral':
      return objectOf(type.members, inner);
    case 'TSInterfaceBody':
      return objectOf(type.body, inner);
    case 'TSTypeReference':
      return reference(type, names, inner);
    default:
      return {};
  }
}

function reference(
  { typeName, typeArguments }: Extract<Node, { type: 'TSTypeReference' }>,
  names: TypeNames,
  inner: (node: Node) => JsonSchema,
): JsonSchema {
  if (typeName.type !== 'Identifier') return {};
  const own = names.get(typeName.name);
  if (own) return inner(own);
  const [first, second] = typeArguments?.params ?? [];
  switch (typeName.name) {
    case 'Array':
    case 'ReadonlyArray':
      return { type: 'array', ...(first ? { items: inner(first) } : {}) };
    case 'Record':
      return { type: 'object', ...(second ? { additionalProperties: inner(second) } : {}) };
    case 'Partial':
    case 'Readonly':
      return first ? inner(first) : {};
    default:
      return {};
  }
}

function objectOf(members: readonly Node[], inner: (node: Node) => JsonSchema): JsonSchema {
  const properties = new Map<string, JsonSchema>();
  const required: string[] = [];
  for (const member of members) {
    if (member.type !== 'TSPropertySignature' || member.computed) continue;
    const name = member.key.type === 'Identifier' ? member.key.name : constantOf(member.key);
    if (typeof name !== 'string') continue;
    properties.set(name, member.typeAnnotation ? inner(member.typeAnnotation) : {});
    if (!member.optional) required.push(name);
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** `'a' | 'b'` is a list of values, `string | null` a list of types, the rest a choice. */
function union(schemas: readonly JsonSchema[]): JsonSchema {
  const [only] = schemas;
  if (only && schemas.length === 1) return only;
  if (schemas.some((schema) => Object.keys(schema).length === 0)) return {};
  if (schemas.every((schema) => schema.enum))
    return { enum: schemas.flatMap((schema) => schema.enum as Json[]) };
  const isPlain = schemas.every(
    (schema) => typeof schema.type === 'string' && Object.keys(schema).length === 1,
  );
  return isPlain ? { type: schemas.map((schema) => schema.type as string) } : { anyOf: schemas };
}
