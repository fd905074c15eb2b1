import { isDeepStrictEqual } from 'node:util';
import { Ajv } from 'ajv';
import { isJsonSchema, type Json, type JsonSchema } from '../../src/json.ts';
import type { Style, Values } from './programs.ts';

/** Arguments that express other data, and the data that they express. */
export interface Given {
  readonly args: Record<string, Json>;
  /** The keys of the data that the arguments change. */
  readonly keys: ReadonlySet<string>;
}

interface Parameter {
  readonly name: string;
  readonly value: Json | undefined;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

/** A value that a parameter may stand for: data, a part of it, or a text that contains data. */
interface Candidate {
  readonly keys: readonly string[];
  /** What it is in the data: `ids`, `filter.status`. */
  readonly path: string;
  /** `kept` is a part that other data cannot change by itself, as the shape differs. */
  readonly kind: 'whole' | 'part' | 'text' | 'kept';
  readonly value: Json;
  readonly other: Json;
}

const ajv = new Ajv({ strict: false, validateFormats: false });

/** Finds the arguments by the values that the parameters have by default, or as examples. */
export function argumentsFor(style: Style, schema: JsonSchema, other: Values): Given {
  const usual = style.data[0] as Values;
  const parameters = parametersOf(schema);
  const candidates = [...dataCandidates(usual, other), ...textCandidates(style, usual, other)];
  candidates.push(...listCandidates(parameters, candidates));
  const chosen = new Map(parameters.map((one) => [one, choose(one, parameters, candidates)]));
  const keys = expressed(style, new Set(chosen.values()), candidates);
  const args: Record<string, Json> = {};
  for (const [{ name, value, isRequired }, candidate] of chosen) {
    if (candidate?.keys.every((key) => keys.has(key))) args[name] = candidate.other;
    else if (isRequired && value !== undefined) args[name] = value;
  }
  return { args, keys };
}

function parametersOf({ properties = {}, required = [] }: JsonSchema): Parameter[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (!isJsonSchema(schema)) return [];
    const value = schema.default ?? (schema.examples as Json[] | undefined)?.[0];
    return [{ name, value, isRequired: required.includes(name), schema }];
  });
}

const KINDS = ['whole', 'part', 'kept', 'text'] as const;

/** Where several candidates fit, names decide, then kinds. A key after which another parameter is named comes last. */
function choose(parameter: Parameter, all: readonly Parameter[], candidates: readonly Candidate[]) {
  const { name, value, schema } = parameter;
  const accepts = ajv.compile(schema);
  const fitting = candidates.filter((one) => isDeepStrictEqual(one.value, value) && accepts(one.other));
  const named = fitting.find(({ path }) => path === name);
  if (named) return named;
  const isTaken = ({ path }: Candidate) =>
    all.some((one) => one.name === path && isDeepStrictEqual(one.value, value));
  const free = fitting.filter((one) => !isTaken(one));
  const left = free.length > 0 ? free : fitting;
  const best = left.filter(({ kind }) => kind === KINDS.find((one) => left.some((two) => two.kind === one)));
  return best.every(({ other }) => isDeepStrictEqual(other, best[0]?.other)) ? best[0] : undefined;
}

/** The keys that the arguments change. A key that is only in texts is changed by them, if all else in them is. */
function expressed({ text, data }: Style, chosen: ReadonlySet<unknown>, all: readonly Candidate[]) {
  const own = (key: string, kind: Candidate['kind']) =>
    all.filter((one) => one.kind === kind && one.keys.includes(key));
  const isChosen = (list: readonly Candidate[]) => list.length > 0 && list.every((one) => chosen.has(one));
  const names = Object.keys(data[0] as Values);
  const isWhole = (key: string) => own(key, 'whole').some((one) => chosen.has(one));
  const keys = new Set(names.filter((key) => isWhole(key) || isChosen(own(key, 'part'))));
  const isLiteral = (key: string) => new RegExp(`«${key}»|["'\`]«${key}!»["'\`]`).test(text);
  const inTexts = names.filter((key) => !isLiteral(key) && isChosen(own(key, 'text')));
  const together = new Set([...keys, ...inTexts]);
  for (const key of inTexts)
    if (own(key, 'text').every((one) => one.keys.every((other) => together.has(other)))) keys.add(key);
  return keys;
}

function dataCandidates(usual: Values, other: Values): Candidate[] {
  return Object.entries(usual).flatMap(([key, value]) => {
    const whole = { keys: [key], path: key, kind: 'whole' as const, value, other: other[key] as Json };
    return [whole, ...partsOf(key, key, value, other[key] as Json)];
  });
}

/** The parameters that are lists of whole data: `channels: ["#general", "#dev"]`. */
function listCandidates(parameters: readonly Parameter[], candidates: readonly Candidate[]): Candidate[] {
  return parameters.flatMap(({ name, value }) => {
    if (!Array.isArray(value) || candidates.some((one) => isDeepStrictEqual(one.value, value))) return [];
    const items = value.map((item) =>
      candidates.filter((one) => one.kind === 'whole' && isDeepStrictEqual(one.value, item)),
    );
    if (items.length === 0 || !items.every((found) => found.length === 1)) return [];
    const found = items.flat();
    const keys = found.flatMap((one) => one.keys);
    return [{ keys, path: name, kind: 'whole' as const, value, other: found.map(({ other }) => other) }];
  });
}

/** The values within a list or an object. */
function partsOf(key: string, path: string, value: Json, other: Json | undefined): Candidate[] {
  if (typeof value !== 'object' || value === null) return [];
  const changed = hasSameShape(value, other) ? (other as Record<string, Json>) : undefined;
  return Object.entries(value).flatMap(([name, part]) => {
    const at = `${path}.${name}`;
    if (typeof part === 'object') return partsOf(key, at, part, changed?.[name]);
    const kind = changed ? ('part' as const) : ('kept' as const);
    return [{ keys: [key], path: at, kind, value: part, other: changed?.[name] ?? part }];
  });
}

function hasSameShape(one: object, other: unknown): boolean {
  if (typeof other !== 'object' || other === null) return false;
  return isDeepStrictEqual(Object.keys(one), Object.keys(other));
}

/** The texts of the program that contain data: `"«folder!»/items/"`. */
function textCandidates({ text }: Style, usual: Values, other: Values): Candidate[] {
  const literals = text.match(/"[^"\n]*"|'[^'\n]*'|`[^`]*`/g) ?? [];
  const pieces = literals.flatMap((literal) => literal.slice(1, -1).split(/\$\{[^}]*\}/));
  return [...new Set(pieces)].flatMap((piece) => {
    const keys = [...piece.matchAll(/«(\w+)!»/g)].map(([, key]) => key as string);
    const fill = (values: Values) => piece.replace(/«(\w+)!»/g, (_, key: string) => String(values[key]));
    if (keys.length === 0 || piece === `«${keys[0]}!»`) return [];
    return [{ keys, path: piece, kind: 'text' as const, value: fill(usual), other: fill(other) }];
  });
}
