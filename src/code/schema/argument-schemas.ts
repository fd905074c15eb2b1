import { isJsonSchema, type Json, type JsonSchema, requiredOf } from '../../json.ts';
import { fits } from '../../measure.ts';
import { sitesOf } from '../references/find-references.ts';
import { pathOf } from '../references/global-paths.ts';
import { type Node, type Program, staticKey, unwrap } from '../syntax/ast.ts';
import { constantOf } from '../syntax/constants.ts';
import { scopesOf } from '../syntax/scope.ts';
import { canonicalSchema } from './canonical-schema.ts';

/** A call whose name the source tells, and a schema of what it passes; `{}` where only the run can tell. */
export interface CallWithArguments {
  readonly name: string;
  readonly passed: JsonSchema;
}

const MAX_DEPTH = 5;
const MAX_KEYS = 100;
const LONGEST_VALUE = 200;
const LARGEST = 4000;
/** Stands for a parameter that makes any argument too large, without its size. */
const TOO_LARGE: JsonSchema = { const: 'x'.repeat(LARGEST) };
const NOTHING: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

/** What the code passes to each call, in the order of the source. `parameters` is the schema of its own arguments. */
export function callsWithArguments(program: Program, parameters: JsonSchema): CallWithArguments[] {
  const reader = new Reader(program, parameters);
  return sitesOf(program).flatMap(({ name, call, isNamed }) => {
    if (name === undefined || isNamed) return [];
    const [first, ...more] = call?.arguments ?? [];
    const isPlain = call !== undefined && more.length === 0 && first?.type !== 'SpreadElement';
    const passed = !isPlain ? {} : first ? reader.argument(first) : NOTHING;
    // A character takes at most three bytes.
    const isSmall = fits(passed, 3 * LARGEST) && JSON.stringify(passed).length <= LARGEST;
    return { name, passed: isSmall ? passed : {} };
  });
}

class Reader {
  readonly #program: Program;
  readonly #parameters: JsonSchema;
  readonly #required: ReadonlySet<string>;
  /** By the name of the parameter; one that is used often is read once. */
  readonly #essences = new Map<string, JsonSchema>();

  constructor(program: Program, parameters: JsonSchema) {
    this.#program = program;
    this.#parameters = parameters;
    this.#required = new Set(requiredOf(parameters));
  }

  /** Only an object that is written out tells what it holds; anything else may be a value of any shape. */
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
    if (arg !== undefined && rest.length === 0) return this.#essence(arg);
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

  /** An argument that may be left out is then not passed on. */
  #isCertain(node: Node): boolean {
    const [arg, ...rest] = pathOf(node, 'args', scopesOf(this.#program))?.keys ?? [];
    if (arg === undefined || rest.length > 0) return true;
    const schema = this.#parameter(arg);
    return this.#required.has(arg) || Object.hasOwn(schema, 'default');
  }

  #essence(name: string): JsonSchema {
    const before = this.#essences.get(name);
    if (before) return before;
    const essence = canonicalSchema(this.#parameter(name));
    const schema = JSON.stringify(essence).length <= LARGEST ? essence : TOO_LARGE;
    this.#essences.set(name, schema);
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

/** Long texts are programs and sentences: that they are text is all a tool's schema can mind. */
function constantSchema(value: Json): JsonSchema {
  if (JSON.stringify(value).length <= LONGEST_VALUE) return { const: value };
  return typeof value === 'string' ? { type: 'string' } : {};
}
