import type { z } from 'zod';
import { closest } from '../edit-distance.ts';
import { jsonSchema } from './file-schema.ts';
import { REFUSED_KEYS, REFUSED_TOP_KEYS } from './foreign-keys.ts';

export type Path = readonly (string | number)[];

/** One thing wrong in a config file. */
export interface Problem {
  path: Path;
  text: string;
  /** The entry is right, but a variable or file that it needs is missing on this machine: only its server is down. */
  isMissing?: boolean;
}

/** Formats a path as in JavaScript: mcpServers["a.b"].args[0]. */
export function showPath(path: Path): string {
  let shown = '';
  for (const part of path) {
    if (typeof part === 'number') shown += `[${part}]`;
    else if (!/^[\w$-]+$/.test(part)) shown += `[${JSON.stringify(part)}]`;
    else shown += shown === '' ? part : `.${part}`;
  }
  return shown;
}

/** Turns zod's issues into problems that name the place and say what to do. */
export function problemsOf(error: z.core.$ZodError, value: unknown, at: Path = []): Problem[] {
  // The whole path decides which values may be shown and which keys are known.
  const root = at.reduceRight<unknown>((inner, part) => ({ [part]: inner }), value);
  return error.issues.flatMap((issue) => describe(issue, [...at, ...(issue.path as Path)], root));
}

function describe(issue: z.core.$ZodIssue, path: Path, root: unknown): Problem[] {
  const problem = (text: string): Problem[] => [{ path, text }];
  const value = valueAt(root, path);
  const got = `got ${show(value, path)}`;
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], text: unknownKey(path, key) }));
    case 'invalid_type':
      if (value === undefined) return problem('is missing');
      return problem(`expected ${EXPECTED[issue.expected] ?? issue.expected}, ${got}`);
    case 'invalid_value':
      return problem(
        `expected ${issue.values.map((v) => JSON.stringify(v)).join(' or ')}, ${got}${suggestion(value, issue.values)}`,
      );
    case 'invalid_union':
      return describeUnion(issue, path, root);
    case 'too_small':
      if (issue.origin === 'string') return problem('must not be empty');
      return problem(`must be at least ${issue.minimum}, ${got}`);
    case 'too_big':
      return problem(`must be at most ${issue.maximum}, ${got}`);
    case 'invalid_key':
      return problem(badName(String(path.at(-1)), issue.issues[0]?.message));
    default:
      return problem(issue.message);
  }
}

const EXPECTED: Readonly<Record<string, string>> = { int: 'a whole number', record: 'object' };

function describeUnion(issue: z.core.$ZodIssueInvalidUnion, path: Path, root: unknown): Problem[] {
  const branches = issue.errors.map((issues) =>
    issues.flatMap((each) => describe(each, [...path, ...(each.path as Path)], root)),
  );
  // The branch that matched down to an inner key is the one that was meant.
  const deeper = branches.find((problems) => problems.some((problem) => problem.path.length > path.length));
  if (deeper) return deeper;
  const parts = branches.flat().map(({ text }) => splitMessage(text));
  const expected = new Set(parts.map((part) => part.expected));
  const hint = parts.find((part) => part.hint !== '')?.hint ?? '';
  return [
    { path, text: `expected ${[...expected].join(' or ')}, got ${show(valueAt(root, path), path)}${hint}` },
  ];
}

/** Splits `expected …, got …; did you mean …`. */
function splitMessage(text: string): { expected: string; hint: string } {
  const got = text.lastIndexOf(', got ');
  const hint = text.indexOf('; did you mean ', got);
  return { expected: text.slice(EXPECTED_PREFIX.length, got), hint: hint === -1 ? '' : text.slice(hint) };
}

const EXPECTED_PREFIX = 'expected ';

function suggestion(value: unknown, options: readonly unknown[]): string {
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

/** Lists the keys that the schema allows at a path. */
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

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

// Every other key of a server entry may hold a password.
const PUBLIC_ENTRY_KEYS: readonly unknown[] = ['type', 'disabled', 'pml'];

function show(value: unknown, path: Path): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const secret = path[0] === 'mcpServers' && !PUBLIC_ENTRY_KEYS.includes(path[2]);
  if (typeof value === 'object' || secret) return typeof value;
  const shown = JSON.stringify(value) ?? String(value);
  return `${typeof value} ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`;
}
