import { MAX_NESTING, tooDeep } from '../protocol.ts';
import {
  apply,
  bare,
  eachInMap,
  eachInSet,
  getPrototypeOf,
  isArray,
  isView,
  keys,
  put,
  stringify,
  test,
} from './intrinsics.ts';

/**
 * How a value leaves the guest: as JSON. Beyond JSON's own rules (`toJSON` is called, so a Date is its ISO text; an
 * undefined member is left out, in a list it is null; NaN is null):
 * - a Map is an object if all its keys are strings, else a list of pairs; a Set is a list;
 * - an Error is its name, message and own members; a RegExp is its text; a typed array is a list of numbers;
 * - a function, symbol, BigInt, Promise, ArrayBuffer or cycle cannot cross: the error names where it is;
 * - nor can a value that is nested too deep.
 */

const plainPrototype = Object.prototype;
const identifier = /^[A-Za-z_$][\w$]*$/;

/** A value too large to cross. */
export class TooLarge extends RangeError {}

/** Values left to visit. Each takes a byte at least, so a value that uses them up is over its size anyway. */
interface Walk {
  left: number;
}

/** Where a part is in the whole: its name in what holds it, and the holders above. */
interface Place {
  name: string;
  holder: object | null;
  above: Place | null;
  depth: number;
}

/** The JSON text of a value, empty for undefined. `root` is what messages call the value. */
export function toText(value: unknown, root: string, limit: number): string {
  if (value === undefined) return '';
  const walk: Walk = { left: limit };
  const plain = isPlain(value, walk, 0);
  const top: Place = { name: root, holder: null, above: null, depth: 0 };
  // A value whose toJSON answers undefined has no text either.
  const text = stringify(plain ? value : copyOf(value, top, { left: limit })) ?? '';
  if (text.length > limit) throw new TooLarge(`${root} is larger than ${limit} bytes`);
  return text;
}

/** Whether JSON.stringify alone does right by the value: the usual case, and many times faster than a copy. */
function isPlain(value: unknown, walk: Walk, depth: number): boolean {
  spend(walk);
  if (typeof value !== 'object')
    return typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint';
  if (value === null) return true;
  if (depth > MAX_NESTING || (value as { toJSON?: unknown }).toJSON !== undefined) return false;
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlain(value[i], walk, depth + 1)) return false;
    return true;
  }
  const prototype = getPrototypeOf(value);
  if (prototype !== plainPrototype && prototype !== null) return false;
  const names = keys(value);
  for (let i = 0; i < names.length; i++) {
    if (!isPlain((value as Record<string, unknown>)[names[i] as string], walk, depth + 1)) return false;
  }
  return true;
}

function spend(walk: Walk): void {
  walk.left -= 1;
  if (walk.left < 0) throw new TooLarge('the value is larger than its limit');
}

/** A copy that JSON.stringify does right by. */
function copyOf(value: unknown, place: Place, walk: Walk): unknown {
  spend(walk);
  if (typeof value === 'function') refuse(place, 'is a function, which cannot cross');
  if (typeof value === 'symbol') refuse(place, 'is a symbol, which cannot cross');
  if (typeof value === 'bigint')
    refuse(place, 'is a BigInt, which JSON cannot hold: use Number(x) or String(x)');
  if (typeof value !== 'object' || value === null) return value;
  if (place.depth > MAX_NESTING) throw new TypeError(tooDeep(rootOf(place)));
  for (let at: Place | null = place; at; at = at.above) {
    if (at.holder === value) refuse(place, 'is a cycle: it holds itself');
  }
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON !== 'function') return copyObject(value, place, walk);
  return copyOf(apply(toJSON, value, [place.name]), inside(place, value, ''), walk);
}

function copyObject(value: object, place: Place, walk: Walk): unknown {
  if (isArray(value)) return copyList(value, value, place, walk);
  if (value instanceof Map) return copyMap(value, place, walk);
  if (value instanceof Set) return copyList(membersOf(value), value, place, walk);
  if (value instanceof Promise) refuse(place, 'is a Promise: await it first');
  if (value instanceof ArrayBuffer || value instanceof DataView) {
    refuse(place, 'is binary, which JSON cannot hold: use a Uint8Array or btoa');
  }
  if (isView(value)) return copyList(value as unknown as ArrayLike<unknown>, value, place, walk);
  if (value instanceof RegExp) return `${value}`;
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return value;
  const copy = bare<unknown>();
  if (value instanceof Error) {
    copy.name = `${value.name}`;
    copy.message = `${value.message}`;
  }
  const names = keys(value);
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    copy[name] = copyOf((value as Record<string, unknown>)[name], inside(place, value, nameOf(name)), walk);
  }
  return copy;
}

function copyList(list: ArrayLike<unknown>, holder: object, place: Place, walk: Walk): unknown[] {
  const copy: unknown[] = [];
  for (let i = 0; i < list.length; i++) put(copy, i, copyOf(list[i], inside(place, holder, `[${i}]`), walk));
  return copy;
}

function copyMap(map: Map<unknown, unknown>, place: Place, walk: Walk): unknown {
  const members = bare<unknown>();
  const pairs: unknown[] = [];
  let named = true;
  eachInMap(map, (value, key) => {
    const at = inside(place, map, typeof key === 'string' ? nameOf(key) : `[${pairs.length}]`);
    const copy = copyOf(value, at, walk);
    put(pairs, pairs.length, [copyOf(key, at, walk), copy]);
    if (typeof key === 'string') members[key] = copy;
    else named = false;
  });
  return named ? members : pairs;
}

function membersOf(set: Set<unknown>): unknown[] {
  const members: unknown[] = [];
  eachInSet(set, (member) => put(members, members.length, member));
  return members;
}

function inside(place: Place, holder: object, name: string): Place {
  return { name, holder, above: place, depth: place.depth + 1 };
}

/** What messages call the whole value. */
function rootOf(place: Place): string {
  let at = place;
  while (at.above) at = at.above;
  return at.name;
}

function nameOf(key: string): string {
  return test(identifier, key) ? `.${key}` : `[${stringify(key)}]`;
}

function refuse(place: Place, what: string): never {
  let path = '';
  for (let at: Place | null = place; at; at = at.above) {
    path = path.length > 200 ? `…${path}` : at.name + path;
    if (path[0] === '…') break;
  }
  throw new TypeError(`${path} ${what}`);
}
