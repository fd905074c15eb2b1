import type { Listed } from '../upstream/index.ts';

const COMBINERS = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * The schema as clients can take it: some silently drop a tool whose schema has `anyOf`, `oneOf` or `allOf` at its root,
 * or no `type: object`. What is shown is a plain object with the properties of all branches and the requirements they
 * share; the server still checks every call against the original.
 */
export function presentSchema(schema: unknown): Listed {
  const root = asSchema(schema);
  if (!COMBINERS.some((key) => key in root) && !('$ref' in root)) {
    return root.type === 'object' ? root : { ...root, type: 'object' };
  }
  const plain = flatten(root, root, 0);
  const { anyOf, oneOf, allOf, $ref, ...rest } = root;
  return { ...rest, type: 'object', properties: plain.properties, required: plain.required };
}

interface Plain {
  properties: Record<string, unknown>;
  required: string[];
}

function flatten(schema: Listed, root: Listed, depth: number): Plain {
  const own: Plain = {
    properties: { ...(isObject(schema.properties) ? schema.properties : {}) },
    required: Array.isArray(schema.required) ? schema.required.filter((key) => typeof key === 'string') : [],
  };
  if (depth > 8) return own;
  const target = typeof schema.$ref === 'string' ? localTarget(schema.$ref, root) : undefined;
  const all = [...branches(schema.allOf), ...(target ? [target] : [])].map((part) =>
    flatten(part, root, depth + 1),
  );
  const plain = all.reduce(both, own);
  return [schema.anyOf, schema.oneOf]
    .map((list) => branches(list).map((part) => flatten(part, root, depth + 1)))
    .filter((parts) => parts.length > 0)
    .map((parts) => parts.reduce(either))
    .reduce(both, plain);
}

function both(a: Plain, b: Plain): Plain {
  return { properties: joinProperties(a, b), required: [...new Set([...a.required, ...b.required])] };
}

function either(a: Plain, b: Plain): Plain {
  return { properties: joinProperties(a, b), required: a.required.filter((key) => b.required.includes(key)) };
}

function joinProperties(a: Plain, b: Plain): Record<string, unknown> {
  const joined = { ...a.properties };
  for (const [key, schema] of Object.entries(b.properties)) {
    const former = joined[key];
    joined[key] =
      former === undefined || JSON.stringify(former) === JSON.stringify(schema)
        ? schema
        : { anyOf: [...alternatives(former), ...alternatives(schema)] };
  }
  return joined;
}

function alternatives(schema: unknown): unknown[] {
  if (isObject(schema) && Array.isArray(schema.anyOf) && Object.keys(schema).length === 1)
    return schema.anyOf;
  return [schema];
}

function localTarget(ref: string, root: Listed): Listed | undefined {
  if (!ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const step of ref.slice(2).split('/')) {
    at = isObject(at) ? at[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  }
  return isObject(at) ? at : undefined;
}

function branches(list: unknown): Listed[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function asSchema(schema: unknown): Listed {
  return isObject(schema) ? schema : { type: 'object' };
}

function isObject(value: unknown): value is Listed {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
