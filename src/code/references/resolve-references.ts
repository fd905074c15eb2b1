import type { McpReference } from './find-references.ts';
import { foldName, suggestNames } from './suggest-names.ts';

/** Looks up what names mean for one principal. The caller supplies it: `code/` knows no registry. */
export interface Lookup<T> {
  /** Finds a tool, display name, alias or FQDN by its exact spelling. */
  exact(name: string): T | undefined;
  /** Lists the exact spellings that fold to this one (see `foldName`). */
  loose(folded: string): readonly string[];
  /** Lists the candidates for "did you mean". */
  names(): Iterable<string>;
}

export interface ResolvedReference<T> {
  readonly reference: McpReference;
  /** The exact spelling of the name found, without version. */
  readonly name: string;
  /** The part after `@`, if any. */
  readonly version: string | undefined;
  readonly target: T;
}

export interface ReferenceProblem {
  readonly code: 'tool_not_found' | 'ambiguous_name';
  readonly reference: McpReference;
  readonly message: string;
  /** Names to try instead. */
  readonly suggestions: readonly string[];
}

export interface Resolution<T> {
  readonly resolved: readonly ResolvedReference<T>[];
  readonly problems: readonly ReferenceProblem[];
  /** References whose name is known only at run time; they are checked when they are called. */
  readonly dynamic: readonly McpReference[];
}

/** Makes a lookup over a fixed set of names. */
export function createLookup<T>(entries: ReadonlyMap<string, T>): Lookup<T> {
  const folded = new Map<string, string[]>();
  for (const name of entries.keys()) {
    const same = folded.get(foldName(name));
    if (same) same.push(name);
    else folded.set(foldName(name), [name]);
  }
  return {
    exact: (name) => entries.get(name),
    loose: (name) => folded.get(name) ?? [],
    names: () => entries.keys(),
  };
}

const MOST_PROBLEMS = 10;
const LONGEST_NAME = 100;

/** Finds what each reference means. An exact spelling beats a loose one, and two loose hits are a problem. */
export function resolveReferences<T>(references: readonly McpReference[], lookup: Lookup<T>): Resolution<T> {
  const resolved: ResolvedReference<T>[] = [];
  const problems = new Map<string, ReferenceProblem>();
  for (const reference of references) {
    // A misspelt name is reported once, and nobody reads more than a few problems.
    if (reference.name === undefined || problems.has(reference.name) || problems.size >= MOST_PROBLEMS)
      continue;
    const found = resolveOne(reference, reference.name, lookup);
    if ('target' in found) resolved.push(found);
    else problems.set(reference.name, found);
  }
  return {
    resolved,
    problems: [...problems.values()],
    dynamic: references.filter(({ isStatic }) => !isStatic),
  };
}

function resolveOne<T>(
  reference: McpReference,
  spelling: string,
  lookup: Lookup<T>,
): ResolvedReference<T> | ReferenceProblem {
  const { name, version } = splitVersion(spelling);
  const exact = lookup.exact(name);
  if (exact !== undefined) return { reference, name, version, target: exact };
  const hits = [...new Set(lookup.loose(foldName(name)))];
  const [only] = hits;
  const target = hits.length === 1 && only !== undefined ? lookup.exact(only) : undefined;
  if (only !== undefined && target !== undefined) return { reference, name: only, version, target };
  return hits.length > 1 ? ambiguous(reference, name, hits) : notFound(reference, name, lookup);
}

function ambiguous(reference: McpReference, name: string, hits: readonly string[]): ReferenceProblem {
  const suggestions = [...hits].sort();
  const message = `${clip(name)} (${place(reference)}) may mean ${suggestions.join(' or ')}. Write the exact name.`;
  return { code: 'ambiguous_name', reference, message, suggestions };
}

function notFound<T>(reference: McpReference, name: string, lookup: Lookup<T>): ReferenceProblem {
  const suggestions = suggestNames(name, lookup.names());
  const guess = suggestions.length > 0 ? ` Did you mean ${suggestions.join(', ')}?` : '';
  const message = `Not found: ${clip(name)} (${place(reference)}).${guess}`;
  return { code: 'tool_not_found', reference, message, suggestions };
}

function clip(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}…`;
}

function place({ position }: McpReference): string {
  return `line ${position.line}, column ${position.column}`;
}

/** `fs:read@v1` → `fs:read` and `v1`. */
export function splitVersion(spelling: string): { name: string; version: string | undefined } {
  const at = spelling.lastIndexOf('@');
  if (at <= 0) return { name: spelling, version: undefined };
  return { name: spelling.slice(0, at), version: spelling.slice(at + 1) };
}
