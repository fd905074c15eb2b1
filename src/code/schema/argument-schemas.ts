import { isJsonSchema, type Json, type JsonSchema, requiredOf } from '../../json.ts';
import { jsonFits } from '../../json-size.ts';
import { referenceNodesOf } from '../references/find-references.ts';
import { pathOf } from '../references/global-paths.ts';
import { type Node, type Program, staticKey, unwrap } from '../syntax/ast.ts';
import { constantOf } from '../syntax/constants.ts';
import type { Position } from '../syntax/positions.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { canonicalSchema } from './canonical-schema.ts';

/** A call whose name the source tells. */
export interface CallWithArguments {
  readonly name: string;
  /** The schema of the argument that the code passes; `{}` if it is known only at run time. */
  readonly passed: JsonSchema;
}

const MAX_DEPTH = 5;
const MAX_KEYS = 100;
/** In characters of JSON. */
const MAX_CONSTANT = 200;
const MAX_SCHEMA = 4000;
/** Stands for the schema of a large parameter: it makes any argument schema exceed the limit, without copying it. */
const TOO_LARGE: JsonSchema = { const: 'x'.repeat(MAX_SCHEMA) };
const NO_ARGUMENT: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

/** Infers the schema of what the code passes to each call, in source order. `parameters` is the schema of its own arguments. */
export function callsWithArguments(program: Program, parameters: JsonSchema): CallWithArguments[] {
  const reader = new ArgumentReader(program, parameters);
  return referenceNodesOf(program).flatMap(({ name, call, isAliasDeclaration }) => {
    if (name === undefined || isAliasDeclaration) return [];
    const [first, ...more] = call?.arguments ?? [];
    const isPlain = call !== undefined && more.length === 0 && first?.type !== 'SpreadElement';
    const passed = !isPlain ? {} : first ? reader.argument(first) : NO_ARGUMENT;
    // A character takes at most three bytes.
    const isSmall = jsonFits(passed, 3 * MAX_SCHEMA) && JSON.stringify(passed).length <= MAX_SCHEMA;
    return { name, passed: isSmall ? passed : {} };
  });
}

/** A call whose name and argument are written out. */
export interface LiteralCall {
  readonly name: string;
  /** The schema of the argument. */
  readonly passed: JsonSchema;
  /** The values of the argument as the code writes them, by key; undefined if the argument is no object. */
  readonly texts: Readonly<Record<string, string>> | undefined;
  /** The arguments as the code writes them, if they are texts, numbers and lists instead of one object. */
  readonly positional: readonly string[] | undefined;
  readonly position: Position;
}

const MAX_CALLS = 200;
const MAX_TEXT = 300;

/** Lists the calls whose arguments are written out, in source order. */
export function literalCalls(program: Program): LiteralCall[] {
  const reader = new ArgumentReader(program, {});
  const calls = referenceNodesOf(program).filter(
    ({ name, call }) => name !== undefined && call?.arguments.every(({ type }) => type !== 'SpreadElement'),
  );
  return calls.slice(0, MAX_CALLS).flatMap(({ name = '', call, position }) => {
    const values = call?.arguments.map(unwrap) ?? [];
    const [value] = values;
    const positional = positionalTexts(program, values);
    if (values.length > 1 && !positional) return [];
    const passed = value ? reader.argument(value) : NO_ARGUMENT;
    const isKnown = passed.type === 'object' && jsonFits(passed, 3 * MAX_SCHEMA);
    if (!isKnown && positional === undefined) return [];
    return { name, passed, texts: textsOf(program, value), positional, position };
  });
}

function positionalTexts({ source }: Program, values: readonly Node[]): string[] | undefined {
  const texts = values.map(({ start, end }) => source.slice(start, end));
  const arePlain = values.length > 0 && values.every(isNoObject);
  return arePlain && texts.every(({ length }) => length <= MAX_TEXT) ? texts : undefined;
}

/** `null` counts as no argument. */
function isNoObject(node: Node): boolean {
  const constant = constantOf(node);
  if (constant === null || node.type === 'ObjectExpression') return false;
  return constant !== undefined || node.type === 'TemplateLiteral' || node.type === 'ArrayExpression';
}

function textsOf({ source }: Program, value: Node | undefined): Record<string, string> | undefined {
  if (value?.type !== 'ObjectExpression') return value ? undefined : {};
  const texts: Record<string, string> = Object.create(null);
  for (const property of value.properties.slice(0, MAX_KEYS)) {
    const key = property.type === 'Property' ? staticKey(property) : undefined;
    if (property.type !== 'Property' || key === undefined || isUndefined(property.value)) continue;
    const text = source.slice(property.value.start, property.value.end);
    texts[key] = text.length <= MAX_TEXT ? text : '…';
  }
  return texts;
}

class ArgumentReader {
  readonly #program: Program;
  readonly #parameters: JsonSchema;
  readonly #required: ReadonlySet<string>;
  /** Canonical schemas of the program's own parameters, by name. */
  readonly #parameterSchemas = new Map<string, JsonSchema>();

  constructor(program: Program, parameters: JsonSchema) {
    this.#program = program;
    this.#parameters = parameters;
    this.#required = new Set(requiredOf(parameters));
  }

  /** Reads an argument. Only an object literal tells what it holds; anything else may have any shape. */
  argument(node: Node): JsonSchema {
    const inner = unwrap(node);
    return inner.type === 'ObjectExpression' ? this.#object(inner, 0) : {};
  }

  #value(node: Node, depth: number): JsonSchema {
    const inner = unwrap(node);
    const constant = constantOf(inner);
    if (constant !== undefined) return constantSchema(constant);
    if (depth > MAX_DEPTH) return {};
    const [arg, ...rest] = pathOf(inner, 'args', scopesOf(this.#program))?.keys ?? [];
    if (arg !== undefined && rest.length === 0) return this.#parameterSchema(arg);
    switch (inner.type) {
      case 'ObjectExpression':
        return this.#object(inner, depth + 1);
      case 'TemplateLiteral':
        return { type: 'string' };
      case 'ArrayExpression':
        return { type: 'array', items: this.#either(inner.elements, depth + 1) };
      case 'ConditionalExpression':
        return this.#either([inner.consequent, inner.alternate], depth + 1);
      case 'LogicalExpression':
        return inner.operator === '&&' ? {} : this.#either([inner.left, inner.right], depth + 1);
      default:
        return {};
    }
  }

  #object(node: Extract<Node, { type: 'ObjectExpression' }>, depth: number): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    let isKnown = node.properties.length <= MAX_KEYS;
    for (const property of node.properties.slice(0, MAX_KEYS)) {
      const key = property.type === 'Property' && property.kind === 'init' ? staticKey(property) : undefined;
      if (property.type !== 'Property' || key === undefined || key === '__proto__') {
        isKnown = false;
        continue;
      }
      if (isUndefined(property.value)) continue;
      properties[key] = this.#value(property.value, depth);
      if (this.#isCertain(property.value)) required.push(key);
    }
    return { type: 'object', properties, required, ...(isKnown && { additionalProperties: false }) };
  }

  #either(nodes: readonly (Node | null)[], depth: number): JsonSchema {
    const all = nodes.map((node) => (node && node.type !== 'SpreadElement' ? this.#value(node, depth) : {}));
    const distinct = [...new Map(all.map((schema) => [JSON.stringify(schema), schema])).values()];
    const [only] = distinct;
    if (distinct.length === 1 && only) return only;
    return distinct.length === 0 || all.some((schema) => Object.keys(schema).length === 0)
      ? {}
      : { anyOf: distinct };
  }

  /** False for an optional argument of the program: if it is left out, it is not passed on. */
  #isCertain(node: Node): boolean {
    const [arg, ...rest] = pathOf(node, 'args', scopesOf(this.#program))?.keys ?? [];
    if (arg === undefined || rest.length > 0) return true;
    const schema = this.#parameter(arg);
    return this.#required.has(arg) || Object.hasOwn(schema, 'default');
  }

  #parameterSchema(name: string): JsonSchema {
    const cached = this.#parameterSchemas.get(name);
    if (cached) return cached;
    const canonical = canonicalSchema(this.#parameter(name));
    const schema = JSON.stringify(canonical).length <= MAX_SCHEMA ? canonical : TOO_LARGE;
    this.#parameterSchemas.set(name, schema);
    return schema;
  }

  #parameter(name: string): JsonSchema {
    const { properties = {} } = this.#parameters;
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isJsonSchema(schema) ? schema : {};
  }
}

function isUndefined(node: Node): boolean {
  const inner = unwrap(node);
  return inner.type === 'Identifier' && inner.name === 'undefined';
}

/** Long texts are programs and sentences: a tool's schema only cares that they are strings. */
function constantSchema(value: Json): JsonSchema {
  if (JSON.stringify(value).length <= MAX_CONSTANT) return { const: value };
  return typeof value === 'string' ? { type: 'string' } : {};
}
