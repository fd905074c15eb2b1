import { closest } from '../edit-distance.ts';
import { PmlError } from '../errors.ts';
import { isJsonSchema, type JsonSchema, requiredOf, typesOf } from '../json.ts';
import type { Invocation } from './command.ts';

interface Callee {
  name: string;
  schema: JsonSchema;
}

/** Makes the arguments of a call from flags, as the callee's schema says: `--path a.json --deep --limit 3`. */
export function argumentsFromFlags(callee: Callee, flags: Invocation['flags']): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const [flag, text] of flags) {
    const { key, schema, isNegated } = parameterOf(callee, flag);
    const value = isNegated ? false : parseValue(`--${flag}`, text, schema);
    // A repeated flag of a list parameter adds to the list.
    const before = Object.hasOwn(given, key) ? given[key] : undefined;
    given[key] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
  }
  return given;
}

/** Throws if a required argument is missing, in the words of the command line. */
export function assertRequired(callee: Callee, args: object): void {
  const missing = requiredOf(callee.schema).filter((key) => !Object.hasOwn(args, key));
  if (missing.length === 0) return;
  const flags = missing.map((key) => `--${key}`).join(' and ');
  throw new PmlError('bad_request', `${callee.name} needs ${flags}.`, { hint: usageOf(callee) });
}

/** One line that shows every flag: `Usage: pml run fs:read --path TEXT [--limit NUMBER]`. */
export function usageOf({ name, schema }: Callee): string {
  const required = requiredOf(schema);
  const flags = Object.entries(schema.properties ?? {}).map(([key, property]) => {
    const value = placeholder(isJsonSchema(property) ? property : {});
    const flag = `--${key}${value === '' ? '' : ` ${value}`}`;
    return required.includes(key) ? flag : `[${flag}]`;
  });
  return `Usage: pml run ${[name, ...flags].join(' ')}`;
}

function placeholder(schema: JsonSchema): string {
  if (schema.enum && schema.enum.length <= 6) return schema.enum.join('|');
  const [type] = typesOf(schema) ?? [];
  const words: Readonly<Record<string, string>> = { boolean: '', string: 'TEXT', array: 'ITEM…' };
  if (type === 'number' || type === 'integer') return 'NUMBER';
  return words[type ?? ''] ?? 'JSON';
}

/** Finds the parameter that a flag means, whatever its case and separators: `--file-path` is `filePath`. */
function parameterOf({ name, schema }: Callee, flag: string) {
  const properties = schema.properties ?? {};
  const known = Object.keys(properties);
  const find = (word: string) =>
    known.find((key) => key === word) ?? known.find((key) => fold(key) === fold(word));
  const key = find(flag);
  if (key !== undefined) return { key, schema: schemaAt(properties, key), isNegated: false };
  const negated = flag.startsWith('no-') ? find(flag.slice('no-'.length)) : undefined;
  if (negated !== undefined && mayBe(schemaAt(properties, negated), 'boolean'))
    return { key: negated, schema: {}, isNegated: true };
  // A schema that lists nothing takes anything.
  if (known.length === 0 && schema.additionalProperties !== false)
    return { key: flag, schema: {}, isNegated: false };
  const near = closest(flag, known);
  const meant = near === undefined ? '' : ` Did you mean --${near}?`;
  throw new PmlError('bad_request', `${name} has no parameter "${flag}".${meant}`, {
    hint: usageOf({ name, schema }),
  });
}

function schemaAt(properties: NonNullable<JsonSchema['properties']>, key: string): JsonSchema {
  const property = properties[key];
  return isJsonSchema(property) ? property : {};
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

function parseValue(flag: string, text: string | true, schema: JsonSchema): unknown {
  if (text === true) {
    if (mayBe(schema, 'boolean')) return true;
    throw new PmlError('bad_request', `${flag} needs a value.`);
  }
  const types = typesOf(schema);
  const parsed = parseJson(text);
  if (types?.includes('array')) return Array.isArray(parsed) ? parsed : [itemOf(flag, text, schema)];
  if (types?.includes('string')) return text;
  if (types === undefined) return parsed === undefined ? text : parsed;
  if (parsed !== undefined && types.some((type) => isOfType(parsed, type))) return parsed;
  throw new PmlError('bad_request', `${flag} must be ${types.map(nounOf).join(' or ')}, not "${text}".`);
}

function itemOf(flag: string, text: string, { items }: JsonSchema): unknown {
  return parseValue(flag, text, isJsonSchema(items) ? items : {});
}

function mayBe(schema: JsonSchema, type: string): boolean {
  return typesOf(schema)?.includes(type) ?? true;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isJsonSchema(value);
  return typeof value === type;
}

function nounOf(type: string): string {
  const nouns: Readonly<Record<string, string>> = {
    integer: 'a whole number',
    boolean: 'true or false',
    object: 'a JSON object',
    null: 'null',
  };
  return nouns[type] ?? `a ${type}`;
}
