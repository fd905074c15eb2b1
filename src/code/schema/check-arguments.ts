import { isJsonSchema, type Json, type JsonSchema, requiredOf, typesOf } from '../../json.ts';
import { suggestNames } from '../references/suggest-names.ts';
import { includesJson } from './match-value.ts';
import { printType } from './signature.ts';
import { ownProperty, positionalKey } from './tool-schema.ts';

/** An argument that a tool certainly refuses. */
export interface ArgumentProblem {
  readonly kind: 'missing' | 'unknown' | 'type' | 'choice';
  readonly key: string;
}

/** The argument of a call, as far as it is known. */
export interface PassedArguments {
  /** The schema of the argument. */
  readonly passed: JsonSchema;
  /** Its values as text, by key. */
  readonly texts: Readonly<Record<string, string>> | undefined;
  /** The arguments themselves, if they are no object. */
  readonly positional?: readonly string[] | undefined;
}

/** Keywords that are not evaluated here, and may allow more than the `type` and `enum` beside them. */
const UNREAD = ['$ref', '$dynamicRef', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'nullable', 'const'];
const MAX_NAMES = 20;

/**
 * Lists what is certainly wrong with an argument. Servers are more lenient than their schemas: they fill in defaults that
 * they call required, and turn texts into numbers. Anything that may pass is left to the server.
 */
export function argumentProblems(schema: JsonSchema, passed: JsonSchema): ArgumentProblem[] {
  if (!isPlainObject(schema) || passed.type !== 'object') return [];
  const given = passed.properties ?? {};
  const isWhole = passed.additionalProperties === false;
  const missing = requiredOf(schema).filter(
    (key) => isWhole && !Object.hasOwn(given, key) && hasNoDefault(ownProperty(schema, key)),
  );
  const isClosed = schema.additionalProperties === false && schema.patternProperties === undefined;
  const problems: ArgumentProblem[] = missing.map((key) => ({ kind: 'missing', key }));
  for (const [key, value] of Object.entries(given)) {
    const property = ownProperty(schema, key);
    if (property === undefined && isClosed && isCertain(value) && isPlain(schema))
      problems.push({ kind: 'unknown', key });
    if (!isJsonSchema(property) || !isPlain(property) || !isJsonSchema(value)) continue;
    if (isOfWrongType(property, value)) problems.push({ kind: 'type', key });
    else if (isNoChoice(property, value)) problems.push({ kind: 'choice', key });
  }
  return problems;
}

function isPlainObject(schema: JsonSchema): boolean {
  const types = typesOf(schema);
  return (
    isJsonSchema(schema.properties) &&
    (types === undefined ? schema.type === undefined : types.includes('object'))
  );
}

function isPlain(schema: JsonSchema): boolean {
  return !UNREAD.some((keyword) => Object.hasOwn(schema, keyword));
}

/** Keywords that may bring a default: some servers mark parameters as required although these have one. */
const DEFAULTS = ['default', '$ref', '$dynamicRef', 'allOf'];

function hasNoDefault(property: unknown): boolean {
  return isJsonSchema(property) && !DEFAULTS.some((keyword) => Object.hasOwn(property, keyword));
}

/** False for a value that may be undefined when the code runs. */
function isCertain(value: unknown): boolean {
  return isJsonSchema(value) && Object.keys(value).length > 0;
}

function isOfWrongType(property: JsonSchema, value: JsonSchema): boolean {
  const types = typesOf(property);
  const type = Object.hasOwn(value, 'const') ? typeOfValue(value.const) : value.type;
  if (!types || typeof type !== 'string' || type === 'null') return false;
  return !types.some((wanted) => mayPass(wanted, type, value.const));
}

/** True if a server may take a value of one type for another. */
function mayPass(wanted: string, type: string, value: unknown): boolean {
  if (wanted === type || wanted === 'null') return wanted === type;
  const isNumber = (name: string) => name === 'number' || name === 'integer';
  if (isNumber(wanted) && isNumber(type)) return true;
  // Texts are read as numbers, as words for true and false, and as JSON.
  if (type === 'string') return typeof value !== 'string' || isReadable(wanted, value.trim());
  if (wanted === 'string' || wanted === 'boolean') return type !== 'object' && type !== 'array';
  return isNumber(wanted) && type === 'boolean';
}

function isReadable(wanted: string, text: string): boolean {
  if (wanted === 'boolean') return text.length <= 5;
  if (wanted === 'object' || wanted === 'array') return /^[{[]/.test(text);
  return text !== '' && !Number.isNaN(Number(text));
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** True for a text that is none of the choices, whatever its case. */
function isNoChoice({ enum: choices }: JsonSchema, value: JsonSchema): boolean {
  const text = value.const;
  if (typeof text !== 'string' || !Array.isArray(choices)) return false;
  if (!choices.every((choice) => typeof choice === 'string')) return false;
  const folded = (one: string) => one.trim().toLowerCase();
  return !includesJson(choices, text) && !choices.some((choice) => folded(choice) === folded(text));
}

/** Says what a tool takes and what it was given instead. */
export function describeProblems(
  tool: string,
  schema: JsonSchema,
  problems: readonly ArgumentProblem[],
  { texts, positional }: PassedArguments,
): string {
  const keys = Object.keys(texts ?? {});
  const takes = `${tool} takes ${keysOf(schema).length === 0 ? 'no arguments' : printType(schema)}`;
  if (positional) return `${takes}; you gave ${positional.join(', ')} instead of an object`;
  const isMisnamed = problems.some(({ kind }) => kind === 'missing' || kind === 'unknown');
  const gave = keys.length === 0 ? 'no arguments' : `${keys.slice(0, MAX_NAMES).join(', ')}`;
  const wrong = problems.flatMap(({ kind, key }) =>
    kind === 'type' || kind === 'choice' ? `${key} cannot be ${texts?.[key] ?? 'that'}` : [],
  );
  return [takes, ...(isMisnamed ? [`you gave ${gave}`] : []), ...wrong].join('; ');
}

/**
 * Writes an argument that the tool takes: with the given values, under the names they are most likely meant for. Undefined if
 * a value has no such name: a call without it may do something else.
 */
export function correctArguments(
  schema: JsonSchema,
  problems: readonly ArgumentProblem[],
  { passed, texts = {}, positional }: PassedArguments,
): string | undefined {
  const keys = keysOf(schema);
  if (positional)
    return objectText(positional.map((text, at) => [positionalKey(schema, at) ?? `value${at + 1}`, text]));
  const wrong = new Map(problems.map(({ kind, key }) => [key, kind]));
  const missing = problems.flatMap(({ kind, key }) => (kind === 'missing' ? key : []));
  const free = keys.filter((key) => !Object.hasOwn(texts, key));
  const entries: [string, string][] = [];
  for (const [key, text] of Object.entries(texts)) {
    const kind = wrong.get(key);
    if (keys.includes(key)) {
      entries.push([key, kind === undefined ? text : replacement(ownProperty(schema, key), text)]);
      continue;
    }
    const [near] = suggestNames(key, free, 1);
    const name = near ?? missing.shift() ?? onlyKeyFor(schema, passed, key);
    if (name === undefined && kind !== undefined) return undefined;
    if (name === undefined) {
      entries.push([key, text]);
      continue;
    }
    if (missing.includes(name)) missing.splice(missing.indexOf(name), 1);
    free.splice(free.indexOf(name), 1);
    entries.push([name, text]);
  }
  return objectText([
    ...entries,
    ...missing.map((key) => [key, sampleOf(key, ownProperty(schema, key))] as const),
  ]);
}

/** The key that a misnamed argument must mean: it is the only one on both sides, and takes the value. */
function onlyKeyFor(schema: JsonSchema, { properties = {} }: JsonSchema, given: string): string | undefined {
  const [only, ...others] = keysOf(schema);
  if (only === undefined || others.length > 0 || Object.keys(properties).length !== 1) return undefined;
  const [property, value] = [ownProperty(schema, only), properties[given]];
  if (!isJsonSchema(property) || !isJsonSchema(value)) return undefined;
  return isOfWrongType(property, value) || isNoChoice(property, value) ? undefined : only;
}

function keysOf({ properties }: JsonSchema): string[] {
  return isJsonSchema(properties) ? Object.keys(properties) : [];
}

/** A value of the right type, made of the given one where that is possible. */
function replacement(property: unknown, text: string): string {
  if (!isJsonSchema(property)) return text;
  const { enum: choices } = property;
  if (Array.isArray(choices)) {
    const [near] = suggestNames(text, choices.map(String), 1);
    return JSON.stringify(near ?? choices[0]);
  }
  const types = typesOf(property);
  if (types?.includes('array')) return `[${text}]`;
  return sampleOf('', property);
}

function sampleOf(key: string, property: unknown): string {
  const { enum: choices, examples, type } = isJsonSchema(property) ? property : {};
  const [first] = [Array.isArray(examples) ? (examples[0] as Json) : undefined, choices?.[0]].filter(
    (one) => one !== undefined,
  );
  if (first !== undefined) return JSON.stringify(first);
  const [only] = [type].flat();
  const samples: Record<string, string> = {
    number: '1',
    integer: '1',
    boolean: 'true',
    array: '[]',
    object: '{}',
  };
  return samples[String(only)] ?? `"<${key || 'text'}>"`;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

function objectText(entries: readonly (readonly [string, string])[]): string {
  if (entries.length === 0) return '';
  const members = entries.map(
    ([key, text]) => `${IDENTIFIER.test(key) ? key : JSON.stringify(key)}: ${text}`,
  );
  return `{ ${members.join(', ')} }`;
}
