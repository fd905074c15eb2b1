import { eachInMap, eachInSet, isArray, isView, keys, mapGet, mapSet, put, setAdd } from './intrinsics.ts';

type Copies = Map<unknown, unknown>;

/** `structuredClone` for the language's own types; keeps cycles and shared parts. */
export function cloneOf(value: unknown, copies: Copies = new Map()): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw notCloned(`a ${typeof value}`);
  if (typeof value !== 'object' || value === null) return value;
  const known = mapGet(copies, value);
  if (known !== undefined) return known;
  const copy = emptyCopy(value);
  mapSet(copies, value, copy);
  copyMembers(copy, value, copies);
  return copy;
}

/** Makes an object of the same type, without the members. */
function emptyCopy(value: object): object {
  if (isArray(value)) {
    const list: unknown[] = [];
    list.length = value.length;
    return list;
  }
  if (value instanceof Date) return new Date(+value);
  if (value instanceof RegExp) return new RegExp(value.source, value.flags);
  if (value instanceof Map) return new Map();
  if (value instanceof Set) return new Set();
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (isView(value)) return copyOfView(value);
  if (value instanceof Error) return copyOfError(value);
  if (value instanceof Number || value instanceof String || value instanceof Boolean)
    return Object(value.valueOf());
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet)
    throw notCloned('such an object');
  return {};
}

function copyOfView(view: ArrayBufferView): object {
  const { buffer, byteOffset, byteLength } = view;
  const copy = (buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength);
  type View = new (buffer: ArrayBuffer) => object;
  return new (view.constructor as View)(copy);
}

const errorTypes = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

function copyOfError(error: Error): Error {
  let Type: ErrorConstructor = Error;
  for (let i = 0; i < errorTypes.length; i++) {
    const type = errorTypes[i] as ErrorConstructor;
    if (error instanceof type) Type = type;
  }
  const copy = new Type(error.message);
  put(copy, 'stack', error.stack, false);
  if (error.cause !== undefined) put(copy, 'cause', error.cause, false);
  return copy;
}

function copyMembers(copy: object, value: object, copies: Copies): void {
  if (value instanceof Map) {
    eachInMap(value, (member, key) => {
      mapSet(copy as Copies, cloneOf(key, copies), cloneOf(member, copies));
    });
  } else if (value instanceof Set) {
    eachInSet(value, (member) => {
      setAdd(copy as Set<unknown>, cloneOf(member, copies));
    });
  } else if (!isView(value) && !(value instanceof String) && !(value instanceof Error)) {
    const names = keys(value);
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      put(copy, name, cloneOf((value as Record<string, unknown>)[name], copies));
    }
  }
}

function notCloned(what: string): Error {
  const error = new Error(`${what} cannot be cloned`);
  put(error, 'name', 'DataCloneError', false);
  return error;
}
