import { isJsonSchema, type JsonSchema, requiredOf } from '../../json.ts';
import { fits } from '../../measure.ts';
import { referenceText } from '../references/rewrite-references.ts';

export interface SignatureOptions {
  /** What the call answers, if it says so. */
  readonly returns?: JsonSchema | undefined;
  /** In characters. */
  readonly limit?: number;
}

const LIMIT = 240;
const LONGEST_TYPE = 80;
const MOST_CHOICES = 6;
const MAX_DEPTH = 3;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** One line of TypeScript that tells how to call a name: `mcp.fs.read(args: { path: string }): Promise<unknown>`. */
export function printSignature(name: string, schema: JsonSchema, options: SignatureOptions = {}): string {
  const { returns, limit = LIMIT } = options;
  const head = referenceText(name);
  const result = returns ? typeText(returns) : 'unknown';
  const required = new Set(requiredOf(schema));
  const keys = propertiesOf(schema).map(([key]) => key);
  // Required ones first: they are the last to be left out.
  const ordered = [...keys.filter((key) => required.has(key)), ...keys.filter((key) => !required.has(key))];
  const members = firstMembers(schema, ordered, required, limit);
  const write = (shown: readonly string[], answer: string): string => {
    const inner = [...shown, ...(shown.length < keys.length ? ['…'] : [])].join('; ');
    const parameter = keys.length === 0 ? '' : `args${required.size > 0 ? '' : '?'}: { ${inner} }`;
    return `${head}(${parameter}): Promise<${answer}>`;
  };
  for (let count = members.length; count >= 0; count -= 1) {
    const line = write(members.slice(0, count), result);
    if (line.length <= limit) return line;
  }
  const shortest = write([], 'unknown');
  return shortest.length <= limit ? shortest : `${shortest.slice(0, limit - 1)}…`;
}

/** The members that may find room in a line: no more of them are written than that. */
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
  return text.length <= LONGEST_TYPE ? text : baseText(schema);
}

function longTypeText(schema: JsonSchema, depth: number): string {
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined;
  if (Array.isArray(schema.enum)) {
    const isShort = schema.enum.length <= MOST_CHOICES && schema.enum.every(isShortValue);
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

/** A character takes at most six bytes. */
function isShortValue(value: unknown): boolean {
  return fits(value, 6 * LONGEST_TYPE);
}

/** What is longer than a type may be is not written to its end: the caller then takes the plain type. */
function choiceText(choices: readonly unknown[], depth: number): string {
  const texts = new Set<string>();
  let length = 0;
  for (const choice of choices) {
    if (length > LONGEST_TYPE) break;
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
    if (length > LONGEST_TYPE) break;
    const member = memberText(key, required.has(key), value, depth + 1);
    members.push(member);
    length += member.length;
  }
  return members.length > 0 ? `{ ${members.join('; ')} }` : 'object';
}

const BASE: Record<string, string> = { integer: 'number', array: 'unknown[]' };
const MOST_TYPES = 20;
/** A stranger's word for a type, if it is one. */
const TYPE = /^[\x20-\x7e]{1,40}$/;

function baseText({ type, enum: choices }: JsonSchema): string {
  const values = Array.isArray(choices) ? choices : [];
  const types: unknown[] = type === undefined ? values.map((value) => typeof value) : [type].flat();
  const words = [...new Set(types)].slice(0, MOST_TYPES).filter((each) => TYPE.test(String(each)));
  return [...new Set(words.map((each) => BASE[String(each)] ?? String(each)))].join(' | ') || 'unknown';
}

function keyText(key: string): string {
  return IDENTIFIER.test(key) ? key : JSON.stringify(key);
}
