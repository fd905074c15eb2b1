import { MAX_GUEST_NESTING, nestedTooDeep } from '../protocol.ts';
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
 * Serialises a value that leaves the guest as JSON. Beyond JSON's own rules (`toJSON` is called, so a Date is its ISO text; an
 * undefined member is left out, in a list it is null; NaN and Infinity are null, which `onLost` is told):
 * - a Map is an object if all its keys are strings, else a list of pairs; a Set is a list;
 * - an Error is its name, message and own members; a RegExp is its text; a typed array is a list of numbers;
 * - a function, symbol, BigInt, Promise, ArrayBuffer or cycle is refused: the error names where it is;
 * - so is a value that is nested too deep.
 */

const plainPrototype = Object.prototype;
const identifier = /^[A-Za-z_$][\w$]*$/;

/** A value is too large to leave the guest. */
export class TooLarge extends RangeError {}

/** How many values may still be visited. Each takes at least a byte, so a value that uses them up is too large. */
interface VisitBudget {
  left: number;
  onLost?: OnLost | undefined;
}

/** The position of a part in the whole value: its name in its holder, and the holders above. */
interface Position {
  name: string;
  holder: object | null;
  above: Position | null;
  depth: number;
}

/** Hears of a number that JSON cannot hold. */
type OnLost = (path: string, value: number) => void;

/** The JSON text of a value, empty for undefined. `root` is what messages call the value. */
export function toText(value: unknown, root: string, limit: number, onLost?: OnLost): string {
  if (value === undefined) return '';
  const budget: VisitBudget = { left: limit };
  const plain = isPlain(value, budget, 0);
  const top: Position = { name: root, holder: null, above: null, depth: 0 };
  // A value whose toJSON returns undefined has no text either.
  const text = stringify(plain ? value : copyOf(value, top, { left: limit, onLost })) ?? '';
  if (text.length > limit) throw new TooLarge(`${root} is larger than ${limit} bytes`);
  return text;
}

/** Returns whether JSON.stringify alone gives the right text: the usual case, and many times faster than a copy. */
function isPlain(value: unknown, budget: VisitBudget, depth: number): boolean {
  spend(budget);
  // The difference of a number and itself is 0, unless it is NaN or infinite.
  if (typeof value === 'number') return value - value === 0;
  if (typeof value !== 'object')
    return typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint';
  if (value === null) return true;
  if (depth > MAX_GUEST_NESTING || (value as { toJSON?: unknown }).toJSON !== undefined) return false;
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlain(value[i], budget, depth + 1)) return false;
    return true;
  }
  const prototype = getPrototypeOf(value);
  if (prototype !== plainPrototype && prototype !== null) return false;
  const names = keys(value);
  for (let i = 0; i < names.length; i++) {
    if (!isPlain((value as Record<string, unknown>)[names[i] as string], budget, depth + 1)) return false;
  }
  return true;
}

function spend(budget: VisitBudget): void {
  budget.left -= 1;
  if (budget.left < 0) throw new TooLarge('the value is larger than its limit');
}

/** Copies the value into one for which JSON.stringify gives the right text. */
function copyOf(value: unknown, position: Position, budget: VisitBudget): unknown {
  spend(budget);
  if (typeof value === 'function') refuse(position, 'is a function, which JSON cannot hold');
  if (typeof value === 'symbol') refuse(position, 'is a symbol, which JSON cannot hold');
  if (typeof value === 'bigint')
    refuse(position, 'is a BigInt, which JSON cannot hold: use Number(x) or String(x)');
  if (typeof value === 'number' && value - value !== 0 && budget.onLost)
    budget.onLost(pathOf(position), value);
  if (typeof value !== 'object' || value === null) return value;
  if (position.depth > MAX_GUEST_NESTING) throw new TypeError(nestedTooDeep(rootOf(position)));
  for (let at: Position | null = position; at; at = at.above) {
    if (at.holder === value) refuse(position, 'is a cycle: it holds itself');
  }
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON !== 'function') return copyObject(value, position, budget);
  return copyOf(apply(toJSON, value, [position.name]), inside(position, value, ''), budget);
}

function copyObject(value: object, position: Position, budget: VisitBudget): unknown {
  if (isArray(value)) return copyList(value, value, position, budget);
  if (value instanceof Map) return copyMap(value, position, budget);
  if (value instanceof Set) return copyList(membersOf(value), value, position, budget);
  if (value instanceof Promise) refuse(position, 'is a Promise: await it first');
  if (value instanceof ArrayBuffer || value instanceof DataView) {
    refuse(position, 'is binary, which JSON cannot hold: use a Uint8Array or btoa');
  }
  if (isView(value)) return copyList(value as unknown as ArrayLike<unknown>, value, position, budget);
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
    copy[name] = copyOf(
      (value as Record<string, unknown>)[name],
      inside(position, value, nameOf(name)),
      budget,
    );
  }
  return copy;
}

function copyList(
  list: ArrayLike<unknown>,
  holder: object,
  position: Position,
  budget: VisitBudget,
): unknown[] {
  const copy: unknown[] = [];
  for (let i = 0; i < list.length; i++)
    put(copy, i, copyOf(list[i], inside(position, holder, `[${i}]`), budget));
  return copy;
}

function copyMap(map: Map<unknown, unknown>, position: Position, budget: VisitBudget): unknown {
  const members = bare<unknown>();
  const pairs: unknown[] = [];
  let named = true;
  eachInMap(map, (value, key) => {
    const at = inside(position, map, typeof key === 'string' ? nameOf(key) : `[${pairs.length}]`);
    const copy = copyOf(value, at, budget);
    put(pairs, pairs.length, [copyOf(key, at, budget), copy]);
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

function inside(position: Position, holder: object, name: string): Position {
  return { name, holder, above: position, depth: position.depth + 1 };
}

/** The name of the whole value, for messages. */
function rootOf(position: Position): string {
  let at = position;
  while (at.above) at = at.above;
  return at.name;
}

function nameOf(key: string): string {
  return test(identifier, key) ? `.${key}` : `[${stringify(key)}]`;
}

function pathOf(position: Position): string {
  let path = '';
  for (let at: Position | null = position; at; at = at.above) {
    path = path.length > 200 ? `…${path}` : at.name + path;
    if (path[0] === '…') break;
  }
  return path;
}

function refuse(position: Position, what: string): never {
  throw new TypeError(`${pathOf(position)} ${what}`);
}
