import { Budget } from '../../budget.ts';
import type { Json, JsonSchema } from '../../json.ts';
import type { Node, Program } from '../syntax/ast.ts';
import { constantOf } from '../syntax/constants.ts';

const MAX_DEPTH = 8;

/** The types that a program declares, by name. */
export type TypeNames = ReadonlyMap<string, Node>;

export function typeNamesOf(program: Program): TypeNames {
  const names = new Map<string, Node>();
  for (const node of program.body) {
    if (node.type === 'TSTypeAliasDeclaration') names.set(node.id.name, node.typeAnnotation);
    if (node.type === 'TSInterfaceDeclaration') names.set(node.id.name, node.body);
  }
  return names;
}

/** Turns a TypeScript type into JSON Schema; `{}` for a type that JSON Schema cannot express, and past the budget. */
export function schemaOfType(type: Node, names: TypeNames, budget = new Budget()): JsonSchema {
  return read({ names, budget, depth: 0, within: [] }, type);
}

interface Reading {
  readonly names: TypeNames;
  readonly budget: Budget;
  readonly depth: number;
  /** The named types that are being expanded. */
  readonly within: readonly Node[];
}

function read(reading: Reading, type: Node): JsonSchema {
  if (reading.depth > MAX_DEPTH || !reading.budget.node()) return {};
  const deeper = { ...reading, depth: reading.depth + 1 };
  const inner = (node: Node): JsonSchema => read(deeper, node);
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
      return inner(type.typeAnnotation);
    case 'TSTypeOperator':
      return type.operator === 'readonly' ? inner(type.typeAnnotation) : {};
    case 'TSLiteralType': {
      const value = constantOf(type.literal);
      return value === undefined || !reading.budget.keep(value) ? {} : { enum: [value] };
    }
    case 'TSUnionType':
      return union(type.types.filter(({ type: kind }) => kind !== 'TSUndefinedKeyword').map(inner));
    case 'TSTypeLiteral':
      return objectOf(type.members, deeper);
    case 'TSInterfaceBody':
      return objectOf(type.body, deeper);
    case 'TSTypeReference':
      return reference(type, deeper);
    default:
      return {};
  }
}

function reference(
  { typeName, typeArguments }: Extract<Node, { type: 'TSTypeReference' }>,
  reading: Reading,
): JsonSchema {
  if (typeName.type !== 'Identifier') return {};
  const own = reading.names.get(typeName.name);
  if (own) return expand(own, reading);
  const inner = (node: Node): JsonSchema => read(reading, node);
  const [first, second] = typeArguments?.params ?? [];
  switch (typeName.name) {
    case 'Array':
    case 'ReadonlyArray':
      return { type: 'array', ...(first ? { items: inner(first) } : {}) };
    case 'Record':
      return { type: 'object', ...(second ? { additionalProperties: inner(second) } : {}) };
    case 'Partial':
      return first ? withoutRequired(inner(first)) : {};
    case 'Readonly':
      return first ? inner(first) : {};
    default:
      return {};
  }
}

function withoutRequired({ required: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** Expands a named type. A recursive one is expanded within itself a few times only. */
function expand(named: Node, reading: Reading): JsonSchema {
  if (reading.within.includes(named) && !reading.budget.repeat(countParts(named))) return {};
  return read({ ...reading, within: [...reading.within, named] }, named);
}

function countParts(type: Node): number {
  if (type.type === 'TSTypeLiteral') return type.members.length;
  if (type.type === 'TSInterfaceBody') return type.body.length;
  return type.type === 'TSUnionType' ? type.types.length : 1;
}

function objectOf(members: readonly Node[], reading: Reading): JsonSchema {
  const properties = new Map<string, JsonSchema>();
  const required = new Set<string>();
  for (const member of members) {
    if (member.type !== 'TSPropertySignature' || member.computed) continue;
    const name = member.key.type === 'Identifier' ? member.key.name : constantOf(member.key);
    if (typeof name !== 'string') continue;
    // The name stands in `properties` and in `required`.
    if (!reading.budget.keep([name, name])) break;
    properties.set(name, member.typeAnnotation ? read(reading, member.typeAnnotation) : {});
    if (!member.optional) required.add(name);
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size > 0 ? { required: [...required] } : {}),
  };
}

/** Turns `'a' | 'b'` into `enum`, `string | null` into a list of types, and the rest into `anyOf`. */
function union(schemas: readonly JsonSchema[]): JsonSchema {
  const [only] = schemas;
  if (only && schemas.length === 1) return only;
  if (schemas.length === 0 || schemas.some((schema) => Object.keys(schema).length === 0)) return {};
  if (schemas.every((schema) => schema.enum))
    return { enum: schemas.flatMap((schema) => schema.enum as Json[]) };
  const isPlain = schemas.every(
    (schema) => typeof schema.type === 'string' && Object.keys(schema).length === 1,
  );
  if (!isPlain) return { anyOf: schemas };
  const types = [...new Set(schemas.map((schema) => schema.type as string))];
  return { type: types.length === 1 ? types[0] : types } as JsonSchema;
}
