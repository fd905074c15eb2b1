import { isJsonSchema, type JsonSchema, requiredOf, typesOf } from '../../json.ts';
import { jsonFits } from '../../json-size.ts';
import { resolveRef } from './tool-schema.ts';

/** How many levels of objects and lists are shown; fewer where there is no room for them. */
const DEPTHS = [3, 2, 1];
const MAX_CHOICES = 6;
const MAX_LITERAL = 30;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const ELLIPSIS = '…';

interface Printing {
  readonly root: JsonSchema;
  /** In characters. Printing stops soon after it is used up. */
  readonly room: number;
  /** Leaves members out that have no room, instead of growing too long. */
  readonly isCut: boolean;
}

/** Prints the type of a result in at most `room` characters; undefined if nothing is known of it. */
export function printReturnType(schema: JsonSchema, room: number): string | undefined {
  const print = (depth: number, isCut: boolean) => typeText({ root: schema, room, isCut }, schema, depth);
  for (const depth of DEPTHS) {
    const text = print(depth, false);
    if (text.length <= room) return text === 'unknown' ? undefined : text;
  }
  const cut = print(1, true);
  return cut.length <= room ? cut : undefined;
}

function typeText(printing: Printing, given: JsonSchema, depth: number): string {
  const schema = given.$ref === undefined ? given : resolveRef(printing.root, given)?.schema;
  if (!schema) return 'unknown';
  const literals = literalText(schema);
  if (literals !== undefined) return literals;
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined;
  if (choices) {
    if (depth === 0 || choices.length > MAX_CHOICES) return 'unknown';
    return united(choices.map((one) => (isJsonSchema(one) ? typeText(printing, one, depth - 1) : 'unknown')));
  }
  const types = typesOf(schema) ?? (isJsonSchema(schema.properties) ? ['object'] : []);
  return united(types.map((type) => plainText(printing, type, schema, depth))) || 'unknown';
}

function literalText({ enum: choices, const: only }: JsonSchema): string | undefined {
  const values: readonly unknown[] = Array.isArray(choices) ? choices : only === undefined ? [] : [only];
  const isShort = values.length > 0 && values.length <= MAX_CHOICES;
  if (!isShort || !values.every((one) => jsonFits(one, MAX_LITERAL))) return undefined;
  return values.map((value) => JSON.stringify(value)).join(' | ');
}

function united(texts: readonly string[]): string {
  if (texts.includes('unknown')) return 'unknown';
  const [others, nulls] = [texts.filter((text) => text !== 'null'), texts.filter((text) => text === 'null')];
  return [...new Set([...others, ...nulls])].join(' | ');
}

function plainText(printing: Printing, type: string, schema: JsonSchema, depth: number): string {
  if (type === 'integer') return 'number';
  if (type === 'array') return listText(printing, schema, depth);
  return type === 'object' ? objectText(printing, schema, depth) : type;
}

function listText({ room, ...printing }: Printing, { items }: JsonSchema, depth: number): string {
  const inner = { ...printing, room: room - 2 };
  const item = isJsonSchema(items) && inner.room > 0 ? typeText(inner, items, depth) : 'unknown';
  return isUnion(item) ? `(${item})[]` : `${item}[]`;
}

/** True if a `|` stands outside of all braces and brackets. */
function isUnion(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if ('{(<'.includes(char)) depth += 1;
    else if ('})>'.includes(char)) depth -= 1;
    else if (char === '|' && depth === 0) return true;
  }
  return false;
}

function objectText(printing: Printing, schema: JsonSchema, depth: number): string {
  const { properties, additionalProperties: values } = schema;
  const keys = isJsonSchema(properties) ? Object.keys(properties) : [];
  if (depth === 0) return 'object';
  if (keys.length > 0) return membersText(printing, schema, keys, depth);
  const value = isJsonSchema(values) ? typeText(printing, values, depth - 1) : 'unknown';
  return value === 'unknown' ? 'object' : `Record<string, ${value}>`;
}

/** Prints the members that are always there first, so that they are left out last. */
function membersText(
  { root, room, isCut }: Printing,
  schema: JsonSchema,
  keys: readonly string[],
  depth: number,
): string {
  const required = new Set(requiredOf(schema));
  const ordered = [...keys.filter((key) => required.has(key)), ...keys.filter((key) => !required.has(key))];
  const members: string[] = [];
  let left = room - '{  }'.length;
  for (const [at, key] of ordered.entries()) {
    const member = schema.properties?.[key];
    const type = isJsonSchema(member) ? typeText({ root, room: left, isCut }, member, depth - 1) : 'unknown';
    const text = `${IDENTIFIER.test(key) ? key : JSON.stringify(key)}${required.has(key) ? '' : '?'}: ${type}`;
    const isLast = at === ordered.length - 1;
    const needed = text.length + (isLast ? 0 : `; ${ELLIPSIS}`.length);
    if (isCut && needed > left) {
      members.push(ELLIPSIS);
      break;
    }
    members.push(text);
    left -= text.length + 2;
    // This is too long already: the caller tries again with less depth.
    if (left < -2) break;
  }
  return `{ ${members.join('; ')} }`;
}
