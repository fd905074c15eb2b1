import { isJsonObject, type Json } from '../json.ts';

/** A value in a call's arguments that has no keys of its own: a scalar, a list, or an empty object. */
export interface ArgumentLeaf {
  readonly path: readonly string[];
  readonly value: Json;
}

const MAX_LEAVES = 64;
const MAX_DEPTH = 8;

/**
 * Lists the leaves of arguments in the order of their keys, so that the order in which they were written does not count.
 * Undefined if they are too many, or if code could not write them.
 */
export function argumentLeaves(args: Json): ArgumentLeaf[] | undefined {
  const leaves: ArgumentLeaf[] = [];
  return isJsonObject(args) && visit(args, []) ? leaves : undefined;

  function visit(one: Json, path: readonly string[]): boolean {
    if (!isJsonObject(one) || (path.length > 0 && Object.keys(one).length === 0)) {
      leaves.push({ path, value: one });
      return leaves.length <= MAX_LEAVES && !setsPrototype(one);
    }
    if (path.length >= MAX_DEPTH) return false;
    const keys = Object.keys(one).sort();
    return keys.length <= MAX_LEAVES && keys.every((key) => visitKey(one, key, path));
  }

  function visitKey(object: Readonly<Record<string, Json>>, key: string, path: readonly string[]): boolean {
    if (key === '__proto__') return false;
    return object[key] === undefined || visit(object[key] as Json, [...path, key]);
  }
}

/** In code, `{ "__proto__": … }` sets the prototype instead of a property. */
function setsPrototype(value: Json): boolean {
  return typeof value === 'object' && value !== null && JSON.stringify(value).includes('"__proto__"');
}
