import type { z } from 'zod';
import { editDistance } from '../edit-distance.ts';
import { jsonSchema, REFUSED_KEYS, REFUSED_TOP_KEYS } from './shape.ts';

export type Path = readonly (string | number)[];

/** One thing wrong in a config file. */
export interface Problem {
  path: Path;
  text: string;
}

/** The place of a value as one would write it in JavaScript: mcpServers["a.b"].args[0]. */
export function showPath(path: Path): string {
  let shown = '';
  for (const part of path) {
    if (typeof part === 'number') shown += `[${part}]`;
    else if (!/^[\w$-]+$/.test(part)) shown += `[${JSON.stringify(part)}]`;
    else shown += shown === '' ? part : `.${part}`;
  }
  return shown;
}

/** Everything zod found wrong, in words that name the place and what to do. */
export function problemsOf(error: z.core.$ZodError, value: unknown, at: Path = []): Problem[] {
  // Messages need the whole path, to know what may be shown and which keys there are.
  const root = at.reduceRight<unknown>((inner, part) => ({ [part]: inner }), value);
  return error.issues.flatMap((issue) => describe(issue, [...at, ...(issue.path as Path)], root));
}

function describe(issue: z.core.$ZodIssue, path: Path, root: unknown): Problem[] {
  const one = (text: string): Problem[] => [{ path, text }];
  const value = valueAt(root, path);
  const got = `got ${show(value, path)}`;
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], text: unknownKey(path, key) }));
    case 'invalid_type':
      if (value === undefined) return one('is missing');
      return one(`expected ${EXPECTED[issue.expected] ?? issue.expected}, ${got}`);
    case 'invalid_value':
      return one(
        `expected ${issue.values.map((v) => JSON.stringify(v)).join(' or ')}, ${got}${slip(value, issue.values)}`,
      );
    case 'invalid_union':
      return describeUnion(issue, path, root);
    case 'too_small':
      if (issue.origin === 'string') return one('must not be empty');
      return one(`must be at least ${issue.minimum}, ${got}`);
    case 'too_big':
      return one(`must be at most ${issue.maximum}, ${got}`);
    case 'invalid_key':
      return one(badName(String(path.at(-1)), issue.issues[0]?.message));
    default:
      return one(issue.message);
  }
}

const EXPECTED: Readonly<Record<string, string>> = { int: 'a whole number', record: 'object' };

function describeUnion(issue: z.core.$ZodIssueInvalidUnion, path: Path, root: unknown): Problem[] {
  const branches = issue.errors.map((issues) =>
    issues.flatMap((each) => describe(each, [...path, ...(each.path as Path)], root)),
  );
  // A branch that got as far as a key inside is the one that was meant.
  const deeper = branches.find((problems) => problems.some((problem) => problem.path.length > path.length));
  if (deeper) return deeper;
  const parts = branches.flat().map(({ text }) => partsOf(text));
  const expected = new Set(parts.map((part) => part.expected));
  const hint = parts.find((part) => part.hint !== '')?.hint ?? '';
  return [
    { path, text: `expected ${[...expected].join(' or ')}, got ${show(valueAt(root, path), path)}${hint}` },
  ];
}

/** Takes `expected …, got …; did you mean …` apart. */
function partsOf(text: string): { expected: string; hint: string } {
  const got = text.lastIndexOf(', got ');
  const hint = text.indexOf('; did you mean ', got);
  return { expected: text.slice(EXPECTED_WORD.length, got), hint: hint === -1 ? '' : text.slice(hint) };
}

const EXPECTED_WORD = 'expected ';

function slip(value: unknown, options: readonly unknown[]): string {
  const near = typeof value === 'string' ? closest(value, options.map(String)) : undefined;
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

function badName(name: string, message: string | undefined): string {
  if (message !== 'bad name') return message ?? 'is not a valid name';
  const better = name.replace(/[^A-Za-z0-9_.-]+/g, '-').slice(0, 64);
  const hint = /[A-Za-z0-9]/.test(better) ? `; try "${/[^-](?:.*[^-])?/.exec(better)?.[0]}"` : '';
  return `a name has 1 to 64 letters, digits, "_", "." or "-"${hint}`;
}

function unknownKey(path: Path, key: string): string {
  const inEntry = path[0] === 'mcpServers' && path.length === 2;
  const advice = inEntry ? REFUSED_KEYS[key] : path.length === 0 ? REFUSED_TOP_KEYS[key] : undefined;
  if (advice !== undefined) return `PML does not read this key; ${advice}`;
  const near = closest(key, keysAt(path));
  return near === undefined ? 'unknown key' : `unknown key; did you mean "${near}"?`;
}

type Schema = { properties?: Record<string, Schema>; additionalProperties?: Schema; anyOf?: Schema[] };

/** The keys that the shape knows at a place. */
function keysAt(path: Path): string[] {
  let schemas: Schema[] = [jsonSchema() as Schema];
  for (const part of path) {
    schemas = schemas
      .flatMap((schema) => [schema, ...(schema.anyOf ?? [])])
      .flatMap((schema) => schema.properties?.[part] ?? schema.additionalProperties ?? []);
  }
  return schemas
    .flatMap((schema) => [schema, ...(schema.anyOf ?? [])])
    .flatMap((schema) => Object.keys(schema.properties ?? {}));
}

/** The option that `word` is most likely a slip of, if any is near enough. */
export function closest(word: string, options: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { option: string; distance: number } | undefined;
  for (const option of options) {
    // Far apart by length alone; also keeps a huge key from costing anything.
    if (Math.abs(word.length - option.length) > 8) continue;
    const distance = editDistance(word.toLowerCase(), option.toLowerCase());
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { option, distance };
  }
  return best?.option;
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

// Everything else in a server entry may hold a password.
const PUBLIC_ENTRY_KEYS: readonly unknown[] = ['type', 'disabled', 'pml'];

function show(value: unknown, path: Path): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const secret = path[0] === 'mcpServers' && !PUBLIC_ENTRY_KEYS.includes(path[2]);
  if (typeof value === 'object' || secret) return typeof value;
  const shown = JSON.stringify(value) ?? String(value);
  return `${typeof value} ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`;
}
