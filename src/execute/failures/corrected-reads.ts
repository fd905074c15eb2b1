import { type ReadProperty, suggestNames, type ValueOrigin } from '../../code/index.ts';
import { isJsonObject } from '../../json.ts';

/** An expression to write instead of one that failed. */
export interface CorrectedRead {
  readonly expression: string;
  /** The kind of the value, if the code took it for something else. */
  readonly note?: string;
}

interface ReadValue {
  /** The value as code. */
  readonly written: string;
  readonly value: unknown;
}

const MAX_KEYS = 200;
/** If the result has more keys, only one with a similar name is suggested. */
const MAX_GUESSED = 3;

/** Writes what was most likely meant: the same operation on something that the result has and that can take it. */
export function correctedReads(result: unknown, { text, read }: ValueOrigin, error: string): CorrectedRead[] {
  if (!read) return [];
  const member = memberOf(read, error);
  return candidates(result, text, read, member).flatMap((one) => operationOn(one, member, read.rest));
}

/** The member that the code uses of a value: a method or property, or its iterator. */
function memberOf({ rest }: ReadProperty, error: string): PropertyKey | undefined {
  return / is not iterable/.test(error) ? Symbol.iterator : /^\??\.([\w$]+)/.exec(rest)?.[1];
}

function candidates(
  result: unknown,
  text: string,
  { object, key }: ReadProperty,
  member: PropertyKey | undefined,
): ReadValue[] {
  if (isJsonObject(result) && key !== undefined && Object.hasOwn(result, key)) {
    const value = result[key];
    return typeof value === 'string' && member !== undefined ? [{ written: text, value }] : [];
  }
  if (object === undefined) return [];
  if (isJsonObject(result)) return meantKeys(result, key).map((one) => valueAt(result, object, one));
  const isReadable = typeof result === 'string' || Array.isArray(result);
  return isReadable && member !== undefined ? [{ written: object, value: result }] : [];
}

function valueAt(result: Record<string, unknown>, object: string, key: string): ReadValue {
  return { written: `${object}.${key}`, value: result[key] };
}

const IDENTIFIER = /^[A-Za-z_$][\w$]{0,60}$/;

function meantKeys(result: Record<string, unknown>, key: string | undefined): string[] {
  const keys = Object.keys(result).slice(0, MAX_KEYS);
  const near = key === undefined ? [] : suggestNames(key, keys, 1);
  const meant = near.length > 0 || keys.length > MAX_GUESSED ? near : keys;
  return meant.filter((one) => IDENTIFIER.test(one));
}

/** Applies the operation to a value, or to the lines or the JSON of a text; nothing if none of them can take it. */
function operationOn(
  { written, value }: ReadValue,
  member: PropertyKey | undefined,
  rest: string,
): CorrectedRead[] {
  // Iterating over a text gives its characters, which nobody means.
  const isText = typeof value === 'string' && member === Symbol.iterator;
  if (member === undefined || (hasMember(value, member) && !isText))
    return [{ expression: `${written}${rest}` }];
  if (typeof value !== 'string') return [];
  const parsed = parsedJson(value);
  if (typeof parsed === 'object' && hasMember(parsed, member)) {
    const note = `\`${written}\` is text that holds JSON.`;
    return [{ expression: `JSON.parse(${written})${rest}`, note }];
  }
  if (!hasMember([], member)) return [];
  return [{ expression: `${written}.split("\\n")${rest}`, note: `\`${written}\` is text.` }];
}

function hasMember(value: unknown, member: PropertyKey): boolean {
  return value !== null && value !== undefined && member in Object(value);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
