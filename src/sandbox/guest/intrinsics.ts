/**
 * The language's methods, captured before the guest's code could change them. Code in this folder runs in the guest's
 * realm, next to code that may replace any method of any prototype. So it calls methods through these, keeps its own
 * data in objects without a prototype, and uses no spread, no for-of and no array methods. `bundle-scripts.ts` captures
 * the global constructors in the same way. A gap harms the guest's own run alone: the child validates every message.
 */

export const { apply, getPrototypeOf, defineProperty, deleteProperty } = Reflect;
export const { keys, create, getOwnPropertyDescriptor } = Object;
export const { isArray } = Array;
export const { isView } = ArrayBuffer;
export const { stringify, parse } = JSON;
export const { captureStackTrace } = Error;

type Method<Self, Args extends unknown[], Result> = (this: Self, ...args: Args) => Result;

/** Turns a method into a function whose first argument is the receiver. */
export function uncurry<Self, Args extends unknown[], Result>(method: Method<Self, Args, Result>) {
  return (self: Self, ...args: Args): Result => apply(method, self, args);
}

export const slice = uncurry(String.prototype.slice as Method<string, [number, number?], string>);
export const indexOf = uncurry(String.prototype.indexOf as Method<string, [string], number>);
export const sourceOf = uncurry(Function.prototype.toString as Method<unknown, [], string>);
export const test = uncurry(RegExp.prototype.test as Method<RegExp, [string], boolean>);

type EachEntry = (value: unknown, key: unknown) => void;
type EachMember = (member: unknown) => void;
export const eachInMap = uncurry(Map.prototype.forEach as Method<Map<unknown, unknown>, [EachEntry], void>);
export const eachInSet = uncurry(Set.prototype.forEach as Method<Set<unknown>, [EachMember], void>);
export const mapGet = uncurry(Map.prototype.get as Method<Map<unknown, unknown>, [unknown], unknown>);
export const mapSet = uncurry(
  Map.prototype.set as Method<Map<unknown, unknown>, [unknown, unknown], unknown>,
);
export const setAdd = uncurry(Set.prototype.add as Method<Set<unknown>, [unknown], unknown>);
export const weakAdd = uncurry(WeakSet.prototype.add as Method<WeakSet<object>, [object], unknown>);
export const weakHas = uncurry(WeakSet.prototype.has as Method<WeakSet<object>, [object], boolean>);

export type Dictionary<Value> = Record<string | number, Value>;

/** Makes a dictionary without a prototype, which prototype pollution cannot reach. */
export function bare<Value>(): Dictionary<Value> {
  return create(null);
}

/** Defines a property as a literal would, without calling a setter on the prototype. */
export function put(target: object, key: PropertyKey, value: unknown, enumerable = true): void {
  const descriptor = { __proto__: null, value, writable: true, enumerable, configurable: true };
  defineProperty(target, key, descriptor as PropertyDescriptor);
}
