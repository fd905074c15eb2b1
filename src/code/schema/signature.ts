import { isJsonSchema, type JsonSchema, requiredOf } from '../../json.ts';
import { jsonFits } from '../../json-size.ts';
import { memberReference } from '../references/rewrite-references.ts';
import { printReturnType } from './return-type.ts';

export interface SignatureOptions {
  /** The schema of the result, if known. */
  readonly returns?: JsonSchema | undefined;
  /** The room for the type of the result, in characters. */
  readonly returnsLimit?: number;
  /** In characters. */
  readonly limit?: number;
  /** Returns the comment on a parameter; undefined if it has none. Comments are left out where the line is full. */
  readonly noteOf?: (schema: JsonSchema) => string | undefined;
}

const LIMIT = 240;
const RETURNS_LIMIT = 100;
const MAX_TYPE = 80;
const MAX_CHOICES = 6;
const MAX_DEPTH = 3;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Prints how to call a name, as one line of TypeScript: `mcp.fs.read(args: { path: string }): Promise<unknown>`. */
export function printSignature(name: string, schema: JsonSchema, options: SignatureOptions = {}): string {
  const { returns, limit = LIMIT, returnsLimit = RETURNS_LIMIT, noteOf } = options;
  const head = memberReference(name);
  const result = (returns && printReturnType(returns, Math.min(returnsLimit, limit / 2))) ?? 'unknown';
  const required = new Set(requiredOf(schema));
  const keys = propertiesOf(schema).map(([key]) => key);
  // Required members come first, so that they are left out last.
  const ordered = [...keys.filter((key) => required.has(key)), ...keys.filter((key) => !required.has(key))];
  const members = firstMembers(schema, ordered, required, limit);
  const notes = noteOf
    ? ordered.slice(0, members.length).map((key) => noteText(schema.properties?.[key], noteOf))
    : [];
  const write = (shown: readonly string[], answer: string): string => {
    const inner = [...shown, ...(shown.length < keys.length ? ['…'] : [])].join('; ');
    const parameter = keys.length === 0 ? '' : `args${required.size > 0 ? '' : '?'}: { ${inner} }`;
    return `${head}(${parameter}): Promise<${answer}>`;
  };
  for (let count = members.length; count >= 0; count -= 1) {
    const shown = members.slice(0, count);
    const line = write(shown, result);
    if (line.length <= limit) return write(withNotes(shown, notes, limit - line.length), result);
  }
  const shortest = write([], 'unknown');
  return shortest.length <= limit ? shortest : `${shortest.slice(0, limit - 1)}…`;
}

/** Adds comments to the first members, as far as there is room for them. */
function withNotes(members: readonly string[], notes: readonly string[], room: number): string[] {
  let left = room;
  return members.map((member, at) => {
    const note = notes[at] ?? '';
    left -= note.length;
    return left >= 0 ? `${member}${note}` : member;
  });
}

function noteText(schema: unknown, noteOf: NonNullable<SignatureOptions['noteOf']>): string {
  const note = isJsonSchema(schema) ? noteOf(schema)?.replaceAll('*/', '* /') : undefined;
  return note ? ` /* ${note} */` : '';
}

/** Prints members until they fill the line; the rest would not fit. */
function firstMembers(
  { properties = {} }: JsonSchema,
  keys: readonly string[],
  required: ReadonlySet<string>,
  limit: number,
): string[] {
  const members: string[] = [];
  let length = 0;
  for (const key of keys) {
    if (length > limit) break;
    const member = memberText(key, required.has(key), properties[key], 0);
    members.push(member);
    length += member.length;
  }
  return members;
}

function memberText(key: string, isRequired: boolean, schema: unknown, depth: number): string {
  const type = isJsonSchema(schema) ? typeText(schema, depth) : 'unknown';
  return `${keyText(key)}${isRequired ? '' : '?'}: ${type}`;
}

function propertiesOf({ properties }: JsonSchema): [string, unknown][] {
  return isJsonSchema(properties) ? Object.entries(properties) : [];
}

function typeText(schema: JsonSchema, depth = 0): string {
  const text = longTypeText(schema, depth);
  return text.length <= MAX_TYPE ? text : baseText(schema);
}

function longTypeText(schema: JsonSchema, depth: number): string {
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined;
  if (Array.isArray(schema.enum)) {
    const isShort = schema.enum.length <= MAX_CHOICES && schema.enum.every(isShortValue);
    return isShort ? schema.enum.map((value) => JSON.stringify(value)).join(' | ') : baseText(schema);
  }
  if (schema.const !== undefined)
    return isShortValue(schema.const) ? JSON.stringify(schema.const) : baseText(schema);
  if (choices && depth < MAX_DEPTH) return choiceText(choices, depth);
  if (schema.type === 'array') {
    const item =
      isJsonSchema(schema.items) && depth < MAX_DEPTH ? typeText(schema.items, depth + 1) : 'unknown';
    return / [|&] /.test(item) ? `(${item})[]` : `${item}[]`;
  }
  const isObject = schema.type === 'object' && schema.properties !== undefined && depth < MAX_DEPTH;
  return isObject ? objectText(schema, depth) : baseText(schema);
}

function isShortValue(value: unknown): boolean {
  // A character takes at most six bytes.
  return jsonFits(value, 6 * MAX_TYPE);
}

/** Stops once the text is too long for a type: the caller then prints the plain type. */
function choiceText(choices: readonly unknown[], depth: number): string {
  const texts = new Set<string>();
  let length = 0;
  for (const choice of choices) {
    if (length > MAX_TYPE) break;
    const text = isJsonSchema(choice) ? typeText(choice, depth + 1) : 'unknown';
    if (!texts.has(text)) length += text.length;
    texts.add(text);
  }
  return [...texts].join(' | ');
}

function objectText(schema: JsonSchema, depth: number): string {
  const required = new Set(requiredOf(schema));
  const members: string[] = [];
  let length = 0;
  for (const [key, value] of propertiesOf(schema)) {
    if (length > MAX_TYPE) break;
    const member = memberText(key, required.has(key), value, depth + 1);
    members.push(member);
    length += member.length;
  }
  return members.length > 0 ? `{ ${members.join('; ')} }` : 'object';
}

const BASE: Record<string, string> = { integer: 'number', array: 'unknown[]' };
const MAX_TYPES = 20;
/** A stranger's name for a type must be short and printable. */
const TYPE_NAME = /^[\x20-\x7e]{1,40}$/;

function baseText({ type, enum: choices }: JsonSchema): string {
  const values = Array.isArray(choices) ? choices : [];
  const types: unknown[] = type === undefined ? values.map((value) => typeof value) : [type].flat();
  const words = [...new Set(types)].slice(0, MAX_TYPES).filter((each) => TYPE_NAME.test(String(each)));
  return [...new Set(words.map((each) => BASE[String(each)] ?? String(each)))].join(' | ') || 'unknown';
}

function keyText(key: string): string {
  return IDENTIFIER.test(key) ? key : JSON.stringify(key);
}

const MAX_PRINTED = 200;

/** Prints a schema as a type: `{ path: string; head?: number }`. Members that have no room are left out. */
export function printType(schema: JsonSchema, limit = MAX_PRINTED): string {
  if (schema.type === 'array' && isJsonSchema(schema.items)) return `${printType(schema.items, limit - 2)}[]`;
  const members = propertiesOf(schema);
  if (members.length === 0) return typeText(schema);
  const required = new Set(requiredOf(schema));
  const ordered = [...members].sort(([a], [b]) => Number(required.has(b)) - Number(required.has(a)));
  const shown: string[] = [];
  let length = 0;
  for (const [key, value] of ordered) {
    const member = memberText(key, required.has(key), value, 0);
    length += member.length + 2;
    if (length > limit) break;
    shown.push(member);
  }
  return `{ ${[...shown, ...(shown.length < members.length ? ['…'] : [])].join('; ')} }`;
}
